public import Foundation

/// A folder of a test's own, removed with all in it when the last reference goes.
public final class TemporaryFolder: Sendable {
  public let url: URL

  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "baton-image-tests-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  public var path: String { url.path(percentEncoded: false) }

  /// The path of `name` in the folder; nothing is made.
  public func file(_ name: String) -> String {
    url.appending(path: name).path(percentEncoded: false)
  }

  /// The names of what is in the folder, sorted.
  public var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

import Foundation

/// Another process with the same image.
public struct Neighbour: Sendable {
  private let process: Process
  private let output: Pipe

  /// Starts the process with its arguments.
  public init(_ arguments: [String]) throws {
    process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    output = Pipe()
    process.standardOutput = output
    try process.run()
  }

  /// The lines it printed, once it ended. Throws when it failed.
  public func lines() throws -> [String] {
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  public struct Failure: Error {
    public var status: Int32
  }

  /// The executable beside the one that runs the tests.
  private static var executable: URL {
    let own = URL(filePath: CommandLine.arguments[0])
    var folder = own.deletingLastPathComponent()
    while folder.path != "/" {
      let candidate = folder.appending(path: "image-neighbour")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    return own
  }
}

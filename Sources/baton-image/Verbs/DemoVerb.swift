import BatonDocuments
import BatonImage
import BatonPlan
import Foundation

/// `demo`: the pattern once through, on responses that come with the package.
enum DemoVerb: Verb {
  static let name = "demo"
  static let operands = "[DIR]"
  static let summary = "discover, refresh, read offline and inspect, step by step"
  static let options: [Option] = []
  static let operandCount = 0...1

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let folder = try folder(arguments.operands.first)
    let path = folder.appending(path: "demo.image").path(percentEncoded: false)
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Failure(.failed, "\(path) is there already; the demonstration makes its own image")
    }
    var demo = try Demonstration(path: path)
    try demo.run()
    return .done
  }

  private static func folder(_ path: String?) throws(Failure) -> URL {
    let url =
      if let path {
        URL(fileURLWithPath: path, isDirectory: true)
      } else {
        FileManager.default.temporaryDirectory.appending(
          path: "baton-demo-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
      }
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      let shown = url.path(percentEncoded: false)
      throw Failure(.failed, "\(shown): can't be made: \(error.localizedDescription)")
    }
    return url
  }
}

import Foundation
import Testing

/// The built command, run as a process of its own.
enum BuiltCommand {
  /// Runs the command and expects it to end well.
  static func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = try executable
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments)")
  }

  /// The executable, which is built into the folder that the tests are in.
  private static var executable: URL {
    get throws {
      let tests = URL(filePath: CommandLine.arguments[0])
      let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
      let found = (bundles + [tests]).lazy
        .map { $0.deletingLastPathComponent().appending(path: "baton-image") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
      return try #require(found)
    }
  }
}

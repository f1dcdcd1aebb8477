import Foundation

/// Where results and messages go.
enum Output {
  static func print(_ text: String) {
    write(Array((text + "\n").utf8))
  }

  /// Writes bytes to standard output. A reader that went away ends the command quietly.
  static func write(_ bytes: [UInt8]) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(bytes)) } catch {
      exit(ExitStatus.failed.rawValue)
    }
  }

  static func error(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}

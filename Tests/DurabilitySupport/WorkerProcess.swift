import Foundation
import Synchronization

/// A process of `image-worker`, and what it printed.
public final class WorkerProcess: Sendable {
  public struct Failed: Error, CustomStringConvertible {
    public var description: String
  }

  private let process: Mutex<Process>
  private let output = Pipe()
  private let problems = Pipe()
  public let identifier: Int32

  /// Where the tests and the worker were built.
  private static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

  /// Starts `image-worker`, or another executable that was built with the tests.
  public init(
    _ arguments: [String], environment: [String: String] = [:],
    executable: String = "image-worker"
  ) throws {
    let made = Process()
    made.executableURL = Self.folder.appending(path: executable)
    made.arguments = arguments
    var all = ProcessInfo.processInfo.environment
    all.merge(environment) { _, new in new }
    all["SWIFT_BACKTRACE"] = "enable=no"
    made.environment = all
    made.standardOutput = output
    made.standardError = problems
    try made.run()
    identifier = made.processIdentifier
    process = Mutex(made)
  }

  /// Ends it as the system does: with no handler and no warning.
  public func kill() { Foundation.kill(identifier, SIGKILL) }

  /// Waits for the next line it prints, or for its end; `lines` then has the others.
  public func nextLine() throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 10,
      !byte.isEmpty
    { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Waits until it has ended; the lines it printed.
  public func lines() -> [String] {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.withLock { $0.waitUntilExit() }
    // A last line that was cut was not printed.
    var lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
    lines.removeLast()
    return lines
  }

  /// Waits until it has ended by itself; its status and what it complained of.
  public func complaint() -> (status: Int32, text: String) {
    _ = lines()
    let text = String(
      decoding: problems.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (process.withLock { $0.terminationStatus }, text)
  }

  /// Waits until it has ended by itself; the lines it printed. Throws what it complained of.
  public func finish() throws -> [String] {
    let lines = lines()
    let status = process.withLock { $0.terminationStatus }
    if status != 0 {
      let text = String(
        decoding: problems.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      throw Failed(description: "status \(status): \(text)")
    }
    return lines
  }

  /// The highest number among lines of a kind; 0 without one.
  public static func last(_ kind: String, in lines: [String]) -> Int {
    lines.compactMap { line in
      line.hasPrefix(kind + " ") ? Int(line.dropFirst(kind.count + 1)) : nil
    }.max() ?? 0
  }
}

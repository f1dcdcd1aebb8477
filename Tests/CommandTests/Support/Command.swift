import BatonImage
import BatonPlan
import Foundation
import Testing

/// The built command, run as a process of its own.
enum Command {
  /// How a run ended and what it printed.
  struct Run {
    var status: Int32
    var output: String
    var errors: String

    /// The one JSON document that was printed.
    func json(_ location: SourceLocation = #_sourceLocation) throws -> Value {
      let bytes = Array(output.utf8)
      return try #require(try? Value(json: bytes.span), "\(output)", sourceLocation: location)
    }
  }

  /// How many seconds a run may take: beside all the other tests, on a busy machine.
  private static let limit = 300.0

  /// Runs the command and waits for its end, for as long as `limit` says.
  static func run(_ arguments: String...) throws -> Run { try run(arguments) }

  static func run(_ arguments: [String], input: [UInt8] = []) throws -> Run {
    let running = try Running(arguments, input: input)
    defer { running.clean() }
    if running.ended.wait(timeout: .now() + limit) == .timedOut {
      Issue.record("\(arguments) runs for more than \(limit) s")
      running.stop()
    }
    #expect(running.process.terminationReason == .exit, "\(arguments) died of a signal")
    return Run(
      status: running.process.terminationStatus, output: try running.read("output"),
      errors: try running.read("errors"))
  }

  /// Runs the command, does `work`, and ends the command as soon as it printed `text`; whether it
  /// did so within the limit.
  static func run(
    _ arguments: [String], until text: String, while work: () throws -> Void
  ) throws -> Bool {
    let running = try Running(arguments, input: [])
    defer {
      running.stop()
      running.clean()
    }
    try work()
    let deadline = Date() + limit
    while Date() < deadline {
      if try running.read("output").contains(text) { return true }
      Thread.sleep(forTimeInterval: 0.05)
    }
    return false
  }

  /// A run under way.
  private struct Running {
    let process = Process()
    let ended = DispatchSemaphore(value: 0)
    private let scratch: URL

    init(_ arguments: [String], input: [UInt8]) throws {
      scratch = FileManager.default.temporaryDirectory.appending(
        path: "command-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: false)
      // Files, not pipes: nobody has to read while the other writes.
      for name in ["output", "errors"] { try Data().write(to: scratch.appending(path: name)) }
      try Data(input).write(to: scratch.appending(path: "input"))
      process.executableURL = try executable
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment
        .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
      let files = try [
        FileHandle(forReadingFrom: scratch.appending(path: "input")),
        FileHandle(forWritingTo: scratch.appending(path: "output")),
        FileHandle(forWritingTo: scratch.appending(path: "errors")),
      ]
      process.standardInput = files[0]
      process.standardOutput = files[1]
      process.standardError = files[2]
      process.terminationHandler = { [ended] _ in ended.signal() }
      try process.run()
      // They would stay open for as long as Foundation keeps the process. With over a thousand
      // descriptors it reads beyond what it has of their list when it starts one, and may die.
      for file in files { try file.close() }
    }

    func read(_ name: String) throws -> String {
      try String(contentsOf: scratch.appending(path: name), encoding: .utf8)
    }

    func stop() {
      // The child has the signals blocked that this thread has, but for this one.
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }

    func clean() { try? FileManager.default.removeItem(at: scratch) }
  }

  /// The executable, which is built into the folder that the tests are in.
  private static var executable: URL {
    get throws {
      let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
      let candidates =
        bundles.map(\.bundleURL) + [URL(fileURLWithPath: CommandLine.arguments[0])]
      let found = candidates.lazy
        .map { $0.deletingLastPathComponent().appending(path: "baton-image") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
      return try #require(found, "baton-image is not beside the tests: \(candidates)")
    }
  }
}

extension Value {
  /// The member of an object; nil when there is none.
  subscript(name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The element of a list; nil when there is none.
  subscript(index: Int) -> Value? {
    guard case .list(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The names of an object's members, sorted.
  var names: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.name).sorted()
  }

  /// The canonical text.
  var text: String { CanonicalJSON.text(of: self) }
}

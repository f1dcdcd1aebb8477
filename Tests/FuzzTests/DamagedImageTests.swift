import Foundation
import TestSupport
import Testing

/// Hostile files, loaded in processes of their own: what ends one fails a test here by name, and its
/// memory is measured alone.
///
/// Not as exit tests: the testing library takes a backtrace of each error that is thrown, which
/// costs more than all the loading.
@Suite(.serialized) struct DamagedImageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// The runs there are: `DAMAGED_IMAGES` of them, or the single one with the number
  /// `DAMAGED_IMAGE`, which repeats one that failed when `TEST_SEED` is that one's.
  private static let runs =
    number("DAMAGED_IMAGE").map { $0..<$0 + 1 } ?? 0..<(number("DAMAGED_IMAGES") ?? 110)
  private static let seed = SeededGenerator().seed
  private static let lanes = 4

  @Test(.timeLimit(.minutes(60)), arguments: 0..<lanes)
  func `a damaged file ends with a report or a right read, soon and in little memory`(
    lane: Int
  ) async throws {
    let numbers = [Self.runs.lowerBound + lane, Self.runs.upperBound, Self.lanes]
    try await load(["damaged", String(Self.seed)] + numbers.map(String.init))
  }

  @Test(.timeLimit(.minutes(60)))
  func `a file made to end its reader is reported, soon and in little memory`() async throws {
    try await load(["crafted"])
  }

  /// Prints what a process came to, or names what it was at when it ended.
  private func load(_ arguments: [String]) async throws {
    let notes = folder.file("notes")
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = [notes] + arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
    // A thread that waits would be one of the few that tests run on.
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do { try process.run() } catch { ended.resume(throwing: error) }
    }
    let note = (try? String(contentsOfFile: notes, encoding: .utf8)) ?? "nothing noted"
    print("\(arguments.joined(separator: " ")): \(note)")
    let signal = process.terminationReason == .uncaughtSignal ? "signal " : "status "
    #expect(process.terminationStatus == 0, "\(signal)\(process.terminationStatus) at \(note)")
  }

  /// The executable beside the one that runs the tests.
  private static var executable: URL {
    let own = URL(filePath: CommandLine.arguments[0])
    var folder = own.deletingLastPathComponent()
    while folder.path != "/" {
      let candidate = folder.appending(path: "image-loader")
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      folder.deleteLastPathComponent()
    }
    return own
  }
}

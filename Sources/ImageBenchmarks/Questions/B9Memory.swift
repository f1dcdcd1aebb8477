import BatonImage
import Foundation

/// Resident memory of a process that opens an image and reads fifty rows.
enum MemoryQuestion: Question {
  static let name = "B9"
  static let title = "resident memory of a process that opens an image and reads 50 rows"

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let records = setting.count(1_000_000, quick: 100_000)
    let path = setting.folder.path("image")
    let subjects = try SubjectImage(path: path, records: records)
    try subjects.image.close()
    let together = try growth(path, subjects.batches, isScattered: false)
    let scattered = try growth(path, subjects.batches, isScattered: true)
    answer.add("50 rows found together, of \(records) records", together, .bytes)
    answer.add("50 rows anywhere", scattered, .bytes)
    answer.compare("MB more than before, rows found together", together / 1e6, .atMost(8))
    // No budget: each such row lies on pages of its own, of the index and of the table, leaf and
    // branch, and the system maps 64 KB around each page that is touched.
    answer.compare("MB more than before, rows anywhere", scattered / 1e6)
  }

  /// What a process of its own grows by.
  private static func growth(
    _ path: String, _ batches: Int, isScattered: Bool
  ) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--resident", path, "\(batches)", isScattered ? "anywhere" : "together"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return Double(text) ?? .nan
  }
}

/// The process that is measured.
struct Resident {
  var path: String
  var batches: Int
  var isScattered: Bool

  /// Opens and reads, and prints the bytes it grew by.
  func run() throws {
    let keys = (0..<50).map { index in
      let batch = isScattered ? Int(Batch.mix(UInt64(index)) % UInt64(batches)) : batches / 2
      return Array(Batch(batch).ids[index].utf8)
    }
    _ = Self.bytes()
    let before = Self.bytes()
    let image = try Image.open(path: path)
    try Self.read(keys, image.snapshot())
    print(Self.bytes() - before)
    try image.close()
  }

  private static func read(_ keys: [[UInt8]], _ snapshot: borrowing Snapshot) throws {
    let fields = try SubjectFields(snapshot)
    for key in keys { consume(try SubjectRow.read(key, fields, snapshot)) }
  }

  /// The resident set of this process.
  private static func bytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
  }
}

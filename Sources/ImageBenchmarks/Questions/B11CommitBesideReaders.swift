import BatonImage
import Foundation

/// Commits while four threads read.
enum CommitBesideReadersQuestion: Question {
  static let name = "B11"
  static let title =
    "a response of 50 subjects, 200 records all changed, beside four reading threads"

  private struct Times {
    var wall = Samples()
    var processor = Samples()
  }

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let subjects = try SubjectImage(
      path: setting.folder.path("subjects"), records: setting.count(100_000, quick: 20_000))
    let readers = Readers(subjects, count: 4)
    let paces: [Readers.Pace] = [.still, .resting, .busy]
    var times: [Readers.Pace: Times] = [:]
    let turns = setting.count(1000, quick: 250)
    for index in 0..<turns + 20 {
      if index == 20 { times = [:] }
      for pace in paces {
        readers.set(pace)
        try commit(index, pace, subjects, &times[pace, default: Times()])
      }
    }
    let rows = readers.rowsRead
    try readers.end()
    guard rows > 0 else { throw ImageError.notFound("a row that was read beside a commit") }
    report(times, &answer)
  }

  /// A commit, after a rest in which the readers get to their pace.
  private static func commit(
    _ index: Int, _ pace: Readers.Pace, _ subjects: SubjectImage, _ times: inout Times
  ) throws {
    Thread.sleep(forTimeInterval: 0.002)
    let (batch, response) = subjects.refresh(index * 3 + pace.rawValue)
    let before = ThreadTime.now
    _ = try subjects.commit(response, of: batch, &times.wall)
    times.processor.add(ThreadTime.now - before)
  }

  private static func report(_ times: [Readers.Pace: Times], _ answer: inout Answer) {
    guard let alone = times[.still], let resting = times[.resting], let busy = times[.busy] else {
      return
    }
    answer.add("alone", alone.wall)
    answer.add("beside four readers that rest", resting.wall)
    answer.add("beside four readers that never rest", busy.wall)
    answer.add("alone, processor time", alone.processor)
    answer.add("beside four that rest, processor time", resting.processor)
    answer.add("beside four that never rest, processor time", busy.processor)
    answer.compare(
      "beside four that rest / alone", resting.wall.median / alone.wall.median, .atMost(1.2))
    answer.compare(
      "beside four that never rest / alone, processor time",
      busy.processor.median / alone.processor.median, .atMost(1.2))
    let cores = ProcessInfo.processInfo.activeProcessorCount
    answer.compare(
      "beside four that never rest / alone", busy.wall.median / alone.wall.median,
      cores > 5 ? .atMost(1.2) : nil)
    answer.note(
      "by medians; five threads that never rest share \(cores) cores, so fewer than six are a wait"
        + " that no store can spare")
  }
}

import BatonImage

/// The same response again.
enum UnchangedQuestion: Question {
  static let name = "B4"
  static let title = "the same response again, into 100,000 records"

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let subjects = try SubjectImage(
      path: setting.folder.path("subjects"), records: setting.count(100_000, quick: 20_000))
    var (changed, again, later) = (Samples(), Samples(), Samples())
    var pages = 0
    var answered: [(batch: Batch, response: [UInt8])] = []
    for commit in 0..<setting.count(1000, quick: 300) + 50 {
      if commit == 50 { (changed, again, later) = (Samples(), Samples(), Samples()) }
      let (batch, response) = subjects.refresh(commit)
      _ = try subjects.commit(response, of: batch, &changed)
      pages += try subjects.commit(response, of: batch, &again).pagesWritten
      answered.append((batch, response))
      // What was answered some commits ago holds unless its batch came up since.
      guard answered.count > 10 else { continue }
      let old = answered.removeFirst()
      guard !answered.contains(where: { $0.batch.number == old.batch.number }) else { continue }
      pages += try subjects.commit(old.response, of: old.batch, &later).pagesWritten
    }
    answer.add("image, all records changed", changed)
    answer.add("image, the same response again", again)
    answer.add("image, the same response ten commits later", later)
    answer.compare("again / changed", again.mean / changed.mean, .atMost(0.3))
    answer.compare("ten commits later / changed", later.mean / changed.mean)
    answer.compare("pages written", Double(pages), .atMost(0))
  }
}

import BatonImage

/// Rows by id and commits at a hundred times the records.
enum ScaleQuestion: Question {
  static let name = "B7"
  static let title = "a row by id and a commit, of many records against 100,000"

  private struct Times {
    var row = Samples()
    var commit = Samples()
  }

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let sizes = [100_000, setting.count(10_000_000, quick: 500_000)]
    let images = try sizes.map { size in
      try SubjectImage(path: setting.folder.path("image-\(size)"), records: size, inBulk: true)
    }
    var times = [Times(), Times()]
    for round in 0..<setting.count(1000, quick: 200) + 50 {
      if round == 50 { times = [Times(), Times()] }
      for (index, image) in images.enumerated() {
        let (batch, response) = image.refresh(round)
        _ = try image.commit(response, of: batch, &times[index].commit)
        try readRows(round, image, &times[index].row)
      }
    }
    for (index, size) in sizes.enumerated() {
      answer.add("row, \(size) records", times[index].row)
      answer.add("commit, \(size) records", times[index].commit)
    }
    answer.compare("rows", times[1].row.median / times[0].row.median, .atMost(3))
    answer.compare("commits", times[1].commit.mean / times[0].commit.mean, .atMost(2))
    answer.note("rows by their medians, commits by their means")
  }

  /// Reads 100 rows anywhere.
  private static func readRows(
    _ round: Int, _ subjects: SubjectImage, _ samples: inout Samples
  ) throws {
    let keys = (0..<100).map { index in
      let pick = Batch.mix(UInt64(round * 100 + index) ^ 0x5555)
      let batch = Int(pick % UInt64(subjects.batches))
      return Array(Batch.id("I_kwDO", batch, Int(pick >> 40) % Subjects.batch).utf8)
    }
    let snapshot = try subjects.image.snapshot()
    let fields = try SubjectFields(snapshot)
    try samples.time(keys.count) { () throws(ImageError) in
      for key in keys { consume(try SubjectRow.read(key, fields, snapshot)) }
    }
  }
}

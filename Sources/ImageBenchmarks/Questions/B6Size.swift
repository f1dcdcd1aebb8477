import BatonImage

/// Bytes on disk a record, of stores that were brought to rest: an image that was closed, a database
/// whose log was moved into its file.
enum SizeQuestion: Question {
  static let name = "B6"
  static let title = "bytes on disk a record at rest, of 100,000 records"

  /// What both stores take, and how long their files are.
  private struct Sizes {
    let image: (allocated: Int, length: Int)
    let layout: (allocated: Int, length: Int)
    var ratio: Double { Double(image.allocated) / Double(layout.allocated) }
  }

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let records = setting.count(100_000, quick: 20_000)
    var subjects = try SubjectImage(path: setting.folder.path("image"), records: records)
    let keys = try RecordKeys(subjects.image.snapshot())
    let layout = try LayoutStore(path: setting.folder.path("layout"))
    for batch in 0..<subjects.batches {
      try layout.write(try rows(batch, subjects), keys: keys)
    }
    let loaded = try sizes(&subjects, layout, setting)
    for commit in 0..<subjects.batches * 4 {
      let (batch, response) = subjects.refresh(commit)
      _ = try subjects.commit(response, of: batch)
      try layout.write(try rows(batch.number, subjects), keys: keys)
    }
    let refreshed = try sizes(&subjects, layout, setting)
    for (sizes, when) in [(loaded, "loaded"), (refreshed, "each refreshed four times")] {
      let perRecord = { (bytes: Int) in Double(bytes) / Double(records) }
      answer.add("image, \(when)", perRecord(sizes.image.allocated), .bytes)
      answer.add("SQLite layout, \(when)", perRecord(sizes.layout.allocated), .bytes)
      let lengths = [sizes.image, sizes.layout].map { Int(perRecord($0.length).rounded()) }
      answer.note("\(when), the files' lengths are \(lengths[0]) and \(lengths[1]) bytes a record")
    }
    answer.compare("image / SQLite layout, loaded", loaded.ratio, .atMost(1))
    answer.compare("image / SQLite layout, refreshed", refreshed.ratio, .atMost(1))
  }

  private static func rows(_ batch: Int, _ subjects: SubjectImage) throws -> RowList {
    try RowList(subjects.image.snapshot(), numbers: subjects.numbers(ofBatch: batch))
  }

  /// Brings both to rest, and measures.
  private static func sizes(
    _ subjects: inout SubjectImage, _ layout: LayoutStore, _ setting: Setting
  ) throws -> Sizes {
    try layout.checkpoint()
    return try subjects.rest {
      Sizes(
        image: try setting.folder.size(of: "image"), layout: try setting.folder.size(of: "layout"))
    }
  }
}

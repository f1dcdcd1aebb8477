import BatonImage

/// Bytes on disk a record.
enum SizeQuestion: Question {
  static let name = "B6"
  static let title = "bytes on disk a record, of 100,000 records"

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let records = setting.count(100_000, quick: 20_000)
    let subjects = try SubjectImage(path: setting.folder.path("image"), records: records)
    let keys = try RecordKeys(subjects.image.snapshot())
    var layout: LayoutStore? = try LayoutStore(path: setting.folder.path("layout"))
    for batch in 0..<subjects.batches {
      try layout?.write(try rows(batch, subjects), keys: keys)
    }
    try layout?.checkpoint()
    let loaded = try sizes(setting, records)
    for commit in 0..<subjects.batches * 4 {
      let (batch, response) = subjects.refresh(commit)
      _ = try subjects.commit(response, of: batch)
      try layout?.write(try rows(batch.number, subjects), keys: keys)
    }
    try layout?.checkpoint()
    layout = nil
    let refreshed = try sizes(setting, records)
    answer.add("image, loaded", loaded.image, .bytes)
    answer.add("SQLite layout, loaded", loaded.layout, .bytes)
    answer.add("image, each refreshed four times", refreshed.image, .bytes)
    answer.add("SQLite layout, each refreshed four times", refreshed.layout, .bytes)
    answer.compare("image / SQLite layout, loaded", loaded.image / loaded.layout, .atMost(1))
    answer.compare(
      "image / SQLite layout, refreshed", refreshed.image / refreshed.layout, .atMost(1))
  }

  private static func rows(_ batch: Int, _ subjects: SubjectImage) throws -> RowList {
    try RowList(subjects.image.snapshot(), numbers: subjects.numbers(ofBatch: batch))
  }

  private static func sizes(
    _ setting: Setting, _ records: Int
  ) throws -> (image: Double, layout: Double) {
    let image = try setting.folder.size(of: "image")
    let layout = try setting.folder.size(of: "layout")
    return (Double(image) / Double(records), Double(layout) / Double(records))
  }
}

import BatonImage

/// The same records in an image and in the stores it is compared with.
struct ReadFixture {
  struct Subject {
    var id: String
    /// The id as a record key.
    var key: [UInt8]
    var hash: UInt64
    var number: UInt32
  }

  let subjectImage: SubjectImage
  let raw: RawStore
  let layout: LayoutStore
  let text: TextStore
  private let subjects: [Subject]

  /// How many subjects a round reads.
  static let round = 1000

  init(_ setting: Setting, records: Int) throws {
    subjectImage = try SubjectImage(path: setting.folder.path("subjects"), records: records)
    raw = try RawStore(path: setting.folder.path("raw"), isSynchronous: false)
    layout = try LayoutStore(path: setting.folder.path("layout"))
    text = try TextStore(path: setting.folder.path("text"))
    let snapshot = try subjectImage.image.snapshot()
    try raw.fill(from: snapshot)
    let keys = try RecordKeys(snapshot)
    let count = UInt32(subjectImage.batches * Subjects.records)
    try layout.write(try RowList(snapshot, numbers: 1..<4 + count), keys: keys)
    try text.fill(from: snapshot, keys: keys, count: Int(3 + count))
    var subjects: [Subject] = []
    for batch in 0..<subjectImage.batches {
      for id in Batch(batch).ids {
        let key = Array(id.utf8)
        let prefixed = [0] + key
        guard let number = try snapshot.number(ofId: key) else {
          throw ImageError.notFound("the subject \(id) is missing")
        }
        subjects.append(
          Subject(id: id, key: key, hash: hash(prefixed.span), number: number))
      }
    }
    self.subjects = subjects
  }

  /// The subjects of a round: scattered over all, others in each round.
  func subjects(round: Int) -> [Subject] {
    (0..<Self.round).map { index in
      let pick = Batch.mix(UInt64(round * Self.round + index))
      return subjects[Int(pick % UInt64(subjects.count))]
    }
  }
}

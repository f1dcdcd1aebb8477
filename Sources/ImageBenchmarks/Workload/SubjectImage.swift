import BatonImage
import BatonPlan

/// An image full of subjects, as commits of their batches leave it.
struct SubjectImage {
  private(set) var image: Image
  let plan: Plan
  private let path: String
  private let options: Image.Options
  let batches: Int

  /// How many batches a commit has where an image is made in bulk.
  ///
  /// An id may lie on any page of the index, so loading writes a page a record, as long as a commit
  /// has fewer records than the index has pages.
  private static let bulk = 1000

  /// The batches that are committed alone behind those in bulk: enough to use up the long lists of
  /// free pages that large commits leave, which the commits behind them would read and write again.
  private static let alone = 1000

  /// Makes an image of `records` records, batch by batch, or many batches a commit at first.
  init(
    path: String, records: Int, durability: Image.Durability = .checkpointed,
    inBulk: Bool = false
  ) throws {
    plan = try Subjects.plan()
    batches = Subjects.batches(holding: records)
    self.path = path
    options = .init(durability: durability)
    image = try Image.open(path: path, options: options)
    for numbers in Self.commits(of: batches, inBulk: inBulk) {
      let part = numbers.map { Batch($0) }
      _ = try image.commit(
        Batch.response(of: part, revision: 0).span, of: plan,
        variables: Batch.variables(of: part))
    }
  }

  /// Closes the image, has a look at what that leaves, and goes on with it.
  mutating func rest<Result>(_ look: () throws -> Result) throws -> Result {
    try image.close()
    let result = try look()
    image = try Image.open(path: path, options: options)
    return result
  }

  /// The numbers of the batches of each commit that makes an image.
  private static func commits(of batches: Int, inBulk: Bool) -> [Range<Int>] {
    let large = inBulk ? max(0, batches - alone) / bulk : 0
    return (0..<large).map { $0 * bulk..<($0 + 1) * bulk }
      + (large * bulk..<batches).map { $0..<$0 + 1 }
  }

  /// The record numbers that a commit of a batch writes, ascending.
  ///
  /// Records are numbered as they are met, so a batch's lie one after another.
  func numbers(ofBatch number: Int) -> Range<UInt32> {
    let first = 4 + UInt32(number * Subjects.records)
    return first..<first + UInt32(Subjects.records)
  }

  /// The batch that a commit refreshes, anywhere in the image, and its answer in a revision of its
  /// own.
  func refresh(_ commit: Int) -> (Batch, [UInt8]) {
    let batch = Batch(Int(Batch.mix(UInt64(commit)) % UInt64(batches)))
    return (batch, batch.response(revision: commit + 1))
  }

  func commit(_ response: [UInt8], of batch: Batch) throws -> CommitOutcome {
    var samples = Samples()
    return try commit(response, of: batch, &samples)
  }

  /// Commits a response and takes the time.
  func commit(
    _ response: [UInt8], of batch: Batch, _ samples: inout Samples
  ) throws -> CommitOutcome {
    let variables = batch.variables
    return try samples.time { () throws(ImageError) in
      try image.commit(response.span, of: plan, variables: variables)
    }
  }
}

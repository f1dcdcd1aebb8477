import BatonImage
import BatonPlan

/// An image full of subjects, as commits of their batches leave it.
struct SubjectImage {
  let image: Image
  let plan: Plan
  let batches: Int

  /// Makes an image of `records` records, batch by batch.
  init(
    path: String, records: Int, durability: Image.Durability = .checkpointed
  ) throws {
    plan = try Subjects.plan()
    batches = Subjects.batches(holding: records)
    image = try Image.open(path: path, options: .init(durability: durability))
    for number in 0..<batches {
      let batch = Batch(number)
      _ = try image.commit(
        batch.response(revision: 0).span, of: plan, variables: batch.variables)
    }
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

import BatonPlan

/// The answers committed last by this process, so that an answer that comes once more, byte for
/// byte, costs a hash and a look at its records' rows.
///
/// Only an answer that a second commit would leave without effect is remembered, and it is taken
/// for known only while no row it came to has changed since, in whichever process.
struct AnswerMemory {
  /// Which answer it is: to which question, and with which bytes.
  struct Key {
    let plan: Plan
    /// With defaults applied.
    let variables: Variables
    fileprivate let digest: UInt64
    fileprivate let count: Int

    /// The digest's seed is the process's own, so that nobody outside can make two answers of one.
    private static let seed = UInt64.random(in: .min ... .max)

    init(_ response: Span<UInt8>, _ plan: Plan, _ variables: Variables) {
      self.plan = plan
      self.variables = variables
      digest = hash(response, seed: Self.seed)
      count = response.count
    }

    fileprivate static func == (left: Key, right: Key) -> Bool {
      left.digest == right.digest && left.count == right.count && left.plan === right.plan
        && left.variables == right.variables
    }
  }

  struct Answer {
    fileprivate let key: Key
    fileprivate let effect: AnswerEffect
    /// What a commit of it comes to; its commit is the last that was when it was in the image.
    let outcome: CommitOutcome

    var records: [UInt32] { effect.records }
    var answered: AnsweredRecords { effect.answered }
  }

  /// How many answers are remembered, of how many records in all.
  private static let maximumCount = 64
  private static let maximumRecords = 1 << 16

  private var answers: [Answer] = []
  private var records = 0

  subscript(key: Key) -> Answer? { answers.last { $0.key == key } }

  /// Remembers an answer that was committed or found unchanged.
  mutating func remember(_ key: Key, _ effect: AnswerEffect, _ outcome: CommitOutcome) {
    if let index = answers.firstIndex(where: { $0.key == key }) {
      records -= answers.remove(at: index).records.count
    }
    guard effect.records.count <= Self.maximumRecords else { return }
    var known = outcome
    known.recordsUnchanged += known.recordsCreated + known.recordsChanged
    (known.recordsCreated, known.recordsChanged, known.fieldsChanged) = (0, 0, 0)
    known.pagesWritten = 0
    answers.append(Answer(key: key, effect: effect, outcome: known))
    records += effect.records.count
    while answers.count > Self.maximumCount || records > Self.maximumRecords {
      records -= answers.removeFirst().records.count
    }
  }
}

/// What there is to look at before an answer that comes again is taken for known.
struct AnswerEffect {
  /// The records it came to, roots included, in order.
  var records: [UInt32]
  /// Hashes of the ids it answered, whose misses it ended.
  var asked: [UInt64]
  /// The records that its list lookup answered.
  var answered = AnsweredRecords()
}

extension CommitSession {
  /// Whether a commit of a remembered answer would write nothing.
  borrowing func holds(_ answer: AnswerMemory.Answer) throws(ImageError) -> Bool {
    let commit = answer.outcome.commit
    guard commit <= state.commit else { return false }
    if commit == state.commit { return true }
    if hasMisses {
      for hash in answer.effect.asked where try value(.misses, hash) != nil { return false }
    }
    for number in answer.effect.records {
      guard let row = try row(number), row.commit <= commit,
        row.flags.isDisjoint(with: [.deleted, .evicted, .moved])
      else { return false }
    }
    return true
  }
}

import BatonPlan
import Synchronization

/// Commits the answers of a refresh, each in one transaction, and says what each id came to.
final class BatchCommit: Sendable {
  let lookup: ListLookup
  private let image: Image
  private let plan: Plan
  /// The records that this refresh changed so far.
  private let changed = Mutex<Set<UInt32>>([])

  init(image: Image, plan: Plan, lookup: ListLookup) {
    self.image = image
    self.plan = plan
    self.lookup = lookup
  }

  /// Commits one answer; a result for each id, in their order.
  ///
  /// Throws `response` when it is no answer of the operation; nothing of it is committed then.
  func take(
    _ response: TransportResponse, _ ids: [String], _ variables: Variables
  ) throws(ImageError) -> [RefreshResult] {
    let outcome = try image.commit(response.body.span, of: plan, variables: variables)
    let snapshot = try image.snapshot()
    let own = outcome.fieldsChanged > 0 ? try changes(of: outcome.commit, in: snapshot) : []
    let changed = changed.withLock { changed in
      changed.formUnion(own)
      return changed
    }
    var walk = try ChangeWalk(
      plan: plan, variables: variables, identity: image.identity, lookup, changed: changed,
      snapshot)
    var answers: [String: IdOutcome] = [:]
    for answer in outcome.ids ?? [] {
      // An id that several lookups ask for is answered when one of them has it.
      if let known = answers[answer.asked], known.status == .ok { continue }
      answers[answer.asked] = answer
    }
    var results: [RefreshResult] = []
    for (position, id) in ids.enumerated() {
      var result: RefreshResult
      if let answer = answers[id], answer.status == .ok {
        result = try accept(answer, &walk, in: snapshot)
      } else {
        let error = outcome.errors.first { lookup.isPath($0.pathText, below: position) }
        result = miss(id, answers[id]?.status ?? .null, error, response)
        result.misses = Int(try snapshot.miss(of: Array(id.utf8))?.count ?? 0)
      }
      result.batch = ids.count
      results.append(result)
    }
    return results
  }

  /// The records of which a commit of this refresh changed fields.
  private func changes(
    of commit: UInt64, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> [UInt32] {
    guard let value = try snapshot.value(.journal, commit) else { return [] }
    return try JournalEntry(value, commit: commit).changes
      .filter { !$0.fields.isEmpty }.map(\.record)
  }

  /// The result of an id that was answered with an object.
  private func accept(
    _ answer: IdOutcome, _ walk: inout ChangeWalk, in snapshot: borrowing Snapshot
  ) throws(ImageError) -> RefreshResult {
    let asked = answer.asked
    guard answer.id != nil else {
      let failure = ServiceFailure(.withoutId, "the object answered has no id")
      return RefreshResult(asked: asked, status: .failed(failure))
    }
    guard let key = lookup.key(of: asked, image.identity),
      let number = try snapshot.number(ofId: key)
    else {
      // What is transient leaves no record.
      return RefreshResult(asked: asked, status: .unchanged)
    }
    let target = try snapshot.resolved(number)
    let text = try snapshot.keyText(of: target)
    let id = lookup.id(ofKey: text, image.identity) ?? asked
    let isChanged = try walk.hasChanged(target, in: snapshot)
    let status: RefreshResult.Status =
      if id != asked { .moved } else if isChanged { .updated } else { .unchanged }
    var result = RefreshResult(asked: asked, status: status, id: id)
    result.isChanged = isChanged
    return result
  }

  /// The result of an id that was answered with null, or not at all.
  private func miss(
    _ id: String, _ status: IdOutcome.Status, _ error: FieldError?, _ response: TransportResponse
  ) -> RefreshResult {
    let result: RefreshResult.Status =
      switch status {
      case .notFound: .notFound
      case .forbidden: .forbidden
      case .ok, .error, .null:
        .failed(
          error.map { ServiceFailure($0, response) }
            ?? ServiceFailure(
              .noAnswer, "null, and no error says why", status: response.status,
              requestId: response.requestId))
      }
    return RefreshResult(asked: id, status: result)
  }
}

extension ListLookup {
  /// Whether an error's path, a JSON array, lies at or below an element of the lookup's answer.
  func isPath(_ path: String, below position: Int) -> Bool {
    var start: [UInt8] = [UInt8(ascii: "[")]
    CanonicalJSON.append(responseKey, to: &start)
    start.append(contentsOf: ",\(position)".utf8)
    let rest = path.utf8.dropFirst(start.count)
    return path.utf8.starts(with: start)
      && (rest.first == UInt8(ascii: ",") || rest.first == UInt8(ascii: "]"))
  }
}

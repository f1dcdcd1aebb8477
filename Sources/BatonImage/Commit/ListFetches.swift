import BatonPlan

/// The texts under which the fetch times of a list lookup's operation are kept: one an id, as if each
/// had been asked for alone.
///
/// However ids are batched, there are no more of them than ids: Docs/Format.md section 10.
struct ListFetchTexts {
  /// What stands before an id, and behind it.
  private let start: [UInt8]
  private let end: [UInt8]

  init(_ plan: Plan, _ lookup: ListLookup, _ variables: Variables) {
    func text(_ id: String) -> [UInt8] {
      var variables = variables
      variables[lookup.variable] = .list([.string(id)])
      return OperationText(name: plan.name, variables: variables).bytes
    }
    // The first byte that differs is the id's own: behind its quotation mark, and before the other.
    let (empty, full) = (text(""), text("x"))
    let place = zip(empty, full).prefix { $0 == $1 }.count
    start = Array(empty[..<(place - 1)])
    end = Array(empty[(place + 1)...])
  }

  func text(of id: String) -> OperationText {
    var text: [UInt8] = []
    text.reserveCapacity(start.count + id.utf8.count + end.count + 2)
    text.append(contentsOf: start)
    CanonicalJSON.append(id, to: &text)
    text.append(contentsOf: end)
    return OperationText(text)
  }

  /// The texts of all ids that variables ask for.
  static func texts(
    _ plan: Plan, _ lookup: ListLookup, _ variables: Variables
  ) -> [OperationText] {
    let ids: [Value]
    switch variables[lookup.variable] {
    case .list(let values)?: ids = values
    case let value?: ids = [value]
    case nil: return []
    }
    guard !ids.isEmpty else { return [] }
    let texts = ListFetchTexts(plan, lookup, variables)
    return ids.map { texts.text(of: String(decoding: $0.idBytes ?? [], as: UTF8.self)) }
  }
}

/// An answer of a list lookup, as it was committed.
struct ListAnswer: Sendable {
  let plan: Plan
  let lookup: ListLookup
  let variables: Variables
  let ids: [IdOutcome]
  /// Milliseconds since 1970.
  let time: Int64

  /// The texts of the ids that were asked for, and of those they were answered with.
  var texts: [OperationText] {
    let frame = ListFetchTexts(plan, lookup, variables)
    var texts: [OperationText] = []
    for id in ids {
      texts.append(frame.text(of: id.asked))
      if let answered = id.id, answered != id.asked { texts.append(frame.text(of: answered)) }
    }
    return texts
  }
}

extension RecordSource where Self: ~Copyable {
  /// When an operation was last fetched with variables, defaults applied; nil when it never was.
  ///
  /// That of a list lookup is as old as the id that was asked for longest ago, and unknown when one
  /// never was.
  borrowing func fetchTime(
    of plan: Plan, _ variables: Variables, _ identity: IdentityRules
  ) throws(ImageError) -> Int64? {
    guard let lookup = ListLookup.only(in: plan, identity) else {
      return try fetchTime(ofText: OperationText(name: plan.name, variables: variables))
    }
    var oldest: Int64?
    for text in ListFetchTexts.texts(plan, lookup, variables) {
      guard let time = try fetchTime(ofText: text) else { return nil }
      oldest = min(oldest ?? time, time)
    }
    return oldest
  }

  private borrowing func fetchTime(ofText text: OperationText) throws(ImageError) -> Int64? {
    if let time = pendingFetchTime(of: text) { return time }
    return try fetch(ofText: text)?.time
  }
}

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
    var text = Buffer<UInt8>(capacity: start.count + id.utf8.count + end.count + 2)
    append(id, to: &text)
    return OperationText(text.copy(0..<text.count))
  }

  /// Appends the text of an id.
  func append(_ id: String, to text: inout Buffer<UInt8>) {
    text.append(contentsOf: start)
    if CanonicalJSON.isPlain(id.utf8.span) {
      text.append(UInt8(ascii: "\""))
      text.append(id.utf8.span)
      text.append(UInt8(ascii: "\""))
    } else {
      var escaped: [UInt8] = []
      CanonicalJSON.append(id, to: &escaped)
      text.append(contentsOf: escaped)
    }
    text.append(contentsOf: end)
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

extension FetchTexts {
  /// Notes the ids that were asked for and those they were answered with.
  mutating func note(_ ids: [IdOutcome], _ texts: ListFetchTexts, at time: Int64) {
    for id in ids {
      note(time) { texts.append(id.asked, to: &$0) }
      if let answered = id.id, answered != id.asked {
        note(time) { texts.append(answered, to: &$0) }
      }
    }
  }
}

/// The texts of one operation, kept from one answer to the next.
struct ListFetchFrame: Sendable {
  private let plan: Plan
  /// The variables beside the ids.
  private let others: Variables
  let texts: ListFetchTexts

  init(_ plan: Plan, _ lookup: ListLookup, _ variables: Variables) {
    self.plan = plan
    others = Self.others(variables, lookup)
    texts = ListFetchTexts(plan, lookup, variables)
  }

  /// Whether these are the texts of an answer's ids.
  func isOf(_ plan: Plan, _ lookup: ListLookup, _ variables: Variables) -> Bool {
    self.plan === plan && others == Self.others(variables, lookup)
  }

  private static func others(_ variables: Variables, _ lookup: ListLookup) -> Variables {
    var others = variables
    others[lookup.variable] = nil
    return others
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

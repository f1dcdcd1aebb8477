import BatonPlan

/// The texts under which the fetch times of a list lookup's operation are kept: of records under that
/// of the operation, of ids without a record under one each, as if it had been asked for alone.
///
/// However ids are batched, there are no more times than ids: Docs/Format.md section 10.
struct ListFetchTexts {
  /// That of the operation, whichever ids it is asked with.
  let operation: OperationText
  /// What stands before an id, and behind it.
  private let start: [UInt8]
  private let end: [UInt8]

  init(_ plan: Plan, _ lookup: ListLookup, _ variables: Variables) {
    operation = OperationText(plan, lookup, variables)
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

}

extension OperationText {
  /// The text of a list lookup's operation, whichever ids it is asked with: behind the name stands
  /// that of the variable that takes them, which is an empty list.
  init(_ plan: Plan, _ lookup: ListLookup, _ variables: Variables) {
    var variables = variables
    variables[lookup.variable] = .list([])
    self.init(name: "\(plan.name)\0\(lookup.variable)", variables: variables)
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
    let ids = lookup.ids(in: variables)
    guard !ids.isEmpty else { return nil }
    let texts = ListFetchTexts(plan, lookup, variables)
    let number = try number(of: texts.operation)
    var oldest: Int64?
    for id in ids {
      let record = try record(of: id, lookup, identity)
      // A record that it never answered may have been asked for before there was one.
      let time =
        if let record, let time = try fetchTime(of: record, texts.operation, number) {
          time
        } else {
          try fetchTime(ofText: texts.text(of: id))
        }
      guard let time else { return nil }
      oldest = min(oldest ?? time, time)
    }
    return oldest
  }

  /// The name number of a list lookup's operation; nil when it has none.
  borrowing func number(of operation: OperationText) throws(ImageError) -> UInt32? {
    let text = operation.bytes.span
    return try number(
      ofName: text, .operation, hash: hash(kind: NameKind.operation.rawValue, text))
  }

  /// The record that an id leads to which is asked for; nil when it leads to none.
  borrowing func record(
    of id: String, _ lookup: ListLookup, _ identity: IdentityRules
  ) throws(ImageError) -> UInt32? {
    guard let key = lookup.key(of: id, identity), let number = try number(ofId: key) else {
      return nil
    }
    return try resolved(number)
  }

  /// When a list lookup last answered a record; nil when it never did.
  private borrowing func fetchTime(
    of record: UInt32, _ operation: OperationText, _ number: UInt32?
  ) throws(ImageError) -> Int64? {
    if let time = pendingFetchTime(of: operation, record: record) { return time }
    guard let number,
      let block = try value(.fetches, FetchBlock.key(operation: number, record: record))
    else { return nil }
    return FetchBlock.time(of: record, in: block)
  }

  private borrowing func fetchTime(ofText text: OperationText) throws(ImageError) -> Int64? {
    if let time = pendingFetchTime(of: text) { return time }
    return try fetch(ofText: text)?.time
  }
}

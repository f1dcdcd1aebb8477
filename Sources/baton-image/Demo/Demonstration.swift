import BatonDocuments
import BatonImage
import BatonPlan

/// The steps of the demonstration, each of which says what it does and what came out.
struct Demonstration {
  private let path: String
  private let discovery: Plan
  private let refresh: Plan
  private let row: Plan
  private var step = 0

  private static let discoveryVariables: Variables = [
    "owner": .string(DemoService.owner), "name": .string(DemoService.repository),
    "number": .int(Int64(DemoService.discovered)),
  ]
  private static let refreshVariables: Variables = [
    "ids": .list(DemoService.ids.map { .string($0) })
  ]

  /// Compiles the operations for an image at a path where none is yet.
  init(path: String) throws(Failure) {
    self.path = path
    do throws(DiagnosticsError) {
      let schema = try Schema(sources: [
        Source(name: "schema.graphql", bytes: Array(DemoDocument.schema.utf8))
      ])
      let document = try Document(
        Source(name: "demo.graphql", bytes: Array(DemoDocument.operations.utf8)))
      discovery = try document.plan(operation: "IssueQuery", schema: schema)
      refresh = try document.plan(operation: "RefreshRowsQuery", schema: schema)
      row = try document.plan(fragment: "IssueRow_issue", schema: schema)
    } catch {
      throw Failure(error)
    }
  }

  mutating func run() throws(Failure) {
    Output.print("The image is \(path)")
    try discover()
    try refreshAll()
    try refreshAgain()
    try readOffline()
    try resolve()
    try inspect()
  }

  private mutating func begin(_ title: String, _ text: String) {
    step += 1
    Output.print("\n\(step). \(title)\n   \(text)")
  }

  private func show(_ line: String) { Output.print("   > \(line)") }

  // MARK: Online

  private mutating func discover() throws(Failure) {
    let subject = "\(DemoService.owner)/\(DemoService.repository) #\(DemoService.discovered)"
    begin(
      "Discovery",
      "The app knows an issue as \(subject). IssueQuery looks it up, and brings its id.")
    try commit(discovery, DemoService(day: 1).discovery, Self.discoveryVariables)
  }

  private mutating func refreshAll() throws(Failure) {
    begin(
      "Refresh by id",
      "The list has \(DemoService.ids.count) issues, whose ids are known: one nodes(ids:) request.")
    try commit(refresh, DemoService(day: 1).refresh, Self.refreshVariables)
  }

  private mutating func refreshAgain() throws(Failure) {
    begin(
      "Refresh again, a day later",
      "\(DemoService.changed.count) of the issues changed meanwhile, and one can't be found.")
    let outcome = try commit(refresh, DemoService(day: 2).refresh, Self.refreshVariables)
    for id in outcome.ids ?? [] where id.status != .ok {
      show("\(id.asked): \(id.status.rawValue); its record stays")
    }
  }

  @discardableResult
  private func commit(
    _ plan: Plan, _ response: String, _ variables: Variables
  ) throws(Failure) -> CommitOutcome {
    let bytes = Array(response.utf8)
    let outcome = try library(path) { () throws(ImageError) in
      let image = try Image.open(path: path)
      let outcome = try image.commit(bytes.span, of: plan, variables: variables)
      try image.close()
      return outcome
    }
    show("\(plan.name), a response of \(bytes.count) bytes")
    show(CommitReport.text(outcome))
    return outcome
  }

  // MARK: Offline

  private mutating func readOffline() throws(Failure) {
    begin("Read offline", "The image is opened afresh. No query: the answers lie in the file.")
    let image = try library(path) { () throws(ImageError) in try UntrustedImage(path: path) }
    let identity = image.identity
    let answer = try library(path) { () throws(ImageError) in
      try image.reading { (snapshot) throws(ImageError) in
        try snapshot.read(refresh, variables: Self.refreshVariables, identity: identity)
      }
    }
    show("\(refresh.name) for all \(DemoService.ids.count) ids: \(Self.summary(answer))")
    for number in [DemoService.discovered, DemoService.changed.max() ?? 0] {
      let id = DemoService.id(ofIssue: number)
      let fragment = try library(path) { () throws(ImageError) in
        try image.reading { (snapshot) throws(ImageError) -> ReadResult? in
          guard let record = try snapshot.liveRecord(id) else { return nil }
          return try snapshot.read(fragment: row, of: record, variables: [:], identity: identity)
        }
      }
      guard let fragment else { throw Failure(.unknown, "there is no record \(id)") }
      show("\(row.name) of \(id): \(Self.summary(fragment))")
      show(String(decoding: fragment.data, as: UTF8.self))
    }
  }

  private static func summary(_ result: ReadResult) -> String {
    let bytes = counted(result.data.count, "byte", "bytes")
    return result.isComplete ? "complete, \(bytes)" : "\(result.missing.count) fields missing"
  }

  private mutating func resolve() throws(Failure) {
    let key =
      "repository(owner:\"\(DemoService.owner)\",name:\"\(DemoService.repository)\")"
      + "/issue(number:\(DemoService.discovered))"
    begin("Resolve", "At the next launch the natural key leads to the id, without discovery.")
    let id = try library(path) { () throws(ImageError) in
      try UntrustedImage(path: path).reading { (snapshot) throws(ImageError) -> String? in
        guard let record = try snapshot.number(ofNaturalKey: key) else { return nil }
        return try snapshot.keyText(of: record)
      }
    }
    guard let id else { throw Failure(.unknown, "the natural key \(key) is unknown") }
    show("\(key) is \(id)")
  }

  private mutating func inspect() throws(Failure) {
    begin("Inspect", "What baton-image inspect shows of the image, and of one record with --id.")
    let id = DemoService.id(ofIssue: DemoService.gone)
    let (summary, card) = try library(path) { () throws(ImageError) in
      let image = try UntrustedImage(path: path)
      let card = try image.reading { (snapshot) throws(ImageError) in try snapshot.card(id) }
      return (try image.summary(), card)
    }
    Output.print("\n" + SummaryReport.text(summary, path: path))
    if let card { Output.print("\n" + CardReport.text(card)) }
  }
}

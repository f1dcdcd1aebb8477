import BatonImage
import BatonPlan
import Foundation

/// `refresh`: known ids through `nodes(ids:)`.
enum RefreshVerb: Verb {
  static let name = "refresh"
  static let operands = "IMAGE --endpoint URL --document FILE [--ids-file FILE | --stale SECONDS]"
  static let summary = "ask a service for records by their ids, and commit the answers"
  static let options =
    Option.plan + Remote.options + [idsFile, stale, limit, batch, .json]
  static let operandCount = 1...1

  private static let idsFile = Option(
    name: "--ids-file", value: "FILE", help: "the ids, one a line; - is standard input")
  private static let stale = Option(
    name: "--stale", value: "SECONDS",
    help: "the subjects of the image whose last answer is so old; all of them unless given")
  private static let limit = Option(
    name: "--limit", value: "N", help: "the most stale subjects to ask for")
  private static let batch = Option(
    name: "--batch", value: "N",
    help: "ids a request, at most 100; 50 unless given, 24 for a document with long connections")

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    guard !(arguments.has(idsFile) && (arguments.has(stale) || arguments.has(limit))) else {
      throw Failure(.usage, "--ids-file goes without --stale and --limit")
    }
    let operation = try Remote.operation(arguments)
    let variables = try variables(arguments)
    let transport = try Remote.transport(arguments)
    let options = try Remote.requestOptions(arguments)
    let width = try Remote.number(batch, in: 1...BatchWidth.maximum, arguments)
    let identity = try Inputs.identity(arguments)
    let listed = try arguments[idsFile].map { (path) throws(Failure) in try ids(in: path) }
    let policy = StalePolicy(
      olderThan: .seconds(try Remote.number(stale, in: 0...Int(Int32.max), arguments) ?? 0),
      limit: try Remote.number(limit, in: 1...Int(Int32.max), arguments) ?? .max)
    let path = arguments.operands[0]
    let started = ContinuousClock.now
    let report = try library(path) { () throws(ImageError) in
      let image = try Image.open(path: path, options: .forWriting(identity: identity))
      let ids =
        if let listed { listed } else {
          try image.staleSubjects(policy, for: operation, variables: variables).map(\.id)
        }
      let run = image.refreshing(
        ids, with: operation, variables: variables, batch: width, through: transport,
        options: options)
      let report = try watch(run).get()
      try image.close()
      return report
    }
    if arguments.has(.json) {
      Output.print(RefreshJSON.text(report))
    } else {
      tell(report, in: ContinuousClock.now - started)
    }
    return report.counts.failed > 0 ? .failed : .done
  }

  /// The variables besides the ids, which the refresh fills in.
  private static func variables(_ arguments: Arguments) throws(Failure) -> Variables {
    var sets: [Variables] = []
    if let text = arguments[.variables] {
      sets += try Remote.variables(Array(text.utf8), Option.variables.name)
    }
    if let path = arguments[.variablesFile] {
      sets += try Remote.variables(
        try Inputs.bytes(of: path), "\(Option.variablesFile.name) \(path)")
    }
    guard sets.count <= 1 else {
      throw Failure(.usage, "--variables and --variables-file exclude each other")
    }
    return sets.first ?? [:]
  }

  private static func ids(in path: String) throws(Failure) -> [String] {
    String(decoding: try Inputs.bytes(of: path), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// Waits for a run, with a bar on a terminal.
  private static func watch(
    _ run: ServiceRun<RefreshProgress, RefreshReport>
  ) -> Result<RefreshReport, ImageError> {
    let bar = ProgressBar()
    let result = Blocking.run { () async -> Result<RefreshReport, ImageError> in
      for await progress in run {
        bar.draw(progress.done, of: progress.total, text(progress))
      }
      do throws(ImageError) { return .success(try await run.report) } catch {
        return .failure(error)
      }
    }
    bar.clear()
    return result
  }

  private static func text(_ progress: RefreshProgress) -> String {
    if let until = progress.pausedUntil {
      return "rate limited for \(max(0, Int(until.timeIntervalSinceNow.rounded(.up)))) s"
    }
    let counts = progress.counts
    let lost = counts.notFound + counts.forbidden + counts.failed
    return "\(counts.updated) updated" + (lost > 0 ? ", \(lost) without an answer" : "")
  }

  // MARK: The summary

  private static func tell(_ report: RefreshReport, in time: Duration) {
    let counts = report.counts
    var parts = ["\(counts.updated) updated", "\(counts.unchanged) unchanged"]
    for (count, text) in [
      (counts.moved, "moved"), (counts.notFound, "not found"), (counts.forbidden, "forbidden"),
      (counts.failed, "failed"),
    ] where count > 0 {
      parts.append("\(count) \(text)")
    }
    let seconds = Double(Int(time / .milliseconds(100))) / 10
    Output.print(
      counted(counts.total, "id", "ids") + ", " + counted(report.requests, "request", "requests")
        + ", \(seconds) s: " + parts.joined(separator: ", "))
    var lines: [String] = []
    var told: Set<String> = []
    for result in report.results where told.insert(result.asked).inserted {
      if let line = line(result) { lines.append(line) }
    }
    for line in lines.prefix(maximumLines) { Output.error(line) }
    if lines.count > maximumLines {
      Output.error("and \(lines.count - maximumLines) more; --json says all")
    }
  }

  private static let maximumLines = 20

  /// What there is to say of an id; nil when it was simply answered.
  private static func line(_ result: RefreshResult) -> String? {
    let asked = printable(result.asked)
    return switch result.status {
    case .updated, .unchanged: nil
    case .moved: "\(asked): it is \(printable(result.id ?? "")) now"
    case .notFound: "\(asked): not found"
    case .forbidden: "\(asked): forbidden"
    case .failed(let failure): "\(asked): \(failure.kind.rawValue): \(printable("\(failure)"))"
    }
  }
}

/// The JSON of a refresh.
private enum RefreshJSON {
  static func text(_ report: RefreshReport) -> String {
    let counts = report.counts
    let members: [Value.Member] = [
      .init("results", .list(report.results.map(value))),
      .init("requests", .int(Int64(report.requests))),
      .init(
        "counts",
        .object([
          .init("updated", .int(Int64(counts.updated))),
          .init("unchanged", .int(Int64(counts.unchanged))),
          .init("moved", .int(Int64(counts.moved))),
          .init("notFound", .int(Int64(counts.notFound))),
          .init("forbidden", .int(Int64(counts.forbidden))),
          .init("failed", .int(Int64(counts.failed))),
        ])),
    ]
    return CanonicalJSON.text(of: .object(members))
  }

  private static func value(_ result: RefreshResult) -> Value {
    var members: [Value.Member] = [
      .init("asked", .string(result.asked)),
      .init("id", result.id.map { .string($0) } ?? .null),
      .init("status", .string(name(of: result.status))),
      .init("changed", .boolean(result.isChanged)),
    ]
    if result.misses > 0 { members.append(.init("misses", .int(Int64(result.misses)))) }
    if case .failed(let failure) = result.status {
      members += FailureJSON.members(failure)
    }
    return .object(members)
  }

  private static func name(of status: RefreshResult.Status) -> String {
    switch status {
    case .updated: "updated"
    case .unchanged: "unchanged"
    case .moved: "moved"
    case .notFound: "notFound"
    case .forbidden: "forbidden"
    case .failed: "failed"
    }
  }
}

/// The JSON of a service's failure.
enum FailureJSON {
  static func members(_ failure: ServiceFailure) -> [Value.Member] {
    var members: [Value.Member] = [
      .init("kind", .string(failure.kind.rawValue)), .init("message", .string(failure.message)),
    ]
    if let status = failure.status { members.append(.init("httpStatus", .int(Int64(status)))) }
    if let id = failure.requestId { members.append(.init("requestId", .string(id))) }
    if let time = failure.retryAt {
      members.append(.init("retryAt", .int(Int64(time.timeIntervalSince1970))))
    }
    return members
  }
}

import BatonImage
import BatonPlan
import Foundation

/// `discover`: a subject by its natural key, once.
enum DiscoverVerb: Verb {
  static let name = "discover"
  static let operands = "IMAGE --endpoint URL --document FILE --variables JSON..."
  static let summary = "look subjects up by natural key, unless the image knows their ids"
  static let options =
    [.schema, .config, .document, .operation, variables, variablesFile, .json] + Remote.options
  static let operandCount = 1...Int.max

  private static let variables = Option(
    name: "--variables", value: "JSON",
    help: "a subject's variables, or a list of such; more of them may follow", isRepeatable: true)
  private static let variablesFile = Option(
    name: "--variables-file", value: "FILE",
    help: "the same from a file: one document, or one a line; - is standard input")

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let operation = try Remote.operation(arguments)
    let subjects = try subjects(arguments)
    let transport = try Remote.transport(arguments)
    let options = try Remote.requestOptions(arguments)
    let identity = try Inputs.identity(arguments)
    let path = arguments.operands[0]
    let (found, requests) = try library(path) { () throws(ImageError) in
      let image = try Image.open(path: path, options: .forWriting(identity: identity))
      let run = image.discovering(
        subjects, with: operation, through: transport, options: options)
      let (result, requests) = watch(run)
      let found = try result.get()
      try image.close()
      return (found, requests)
    }
    if arguments.has(.json) {
      Output.print(CanonicalJSON.text(of: .list(found.map(value))))
    } else {
      for id in found.compactMap(\.id) { Output.print(id) }
    }
    tell(found, requests)
    if found.contains(where: { if case .failed = $0.status { true } else { false } }) {
      return .failed
    }
    return found.contains { $0.id == nil } ? .unknown : .done
  }

  /// The variables of each subject, from the options and what follows them.
  private static func subjects(_ arguments: Arguments) throws(Failure) -> [Variables] {
    var subjects: [Variables] = []
    for text in arguments.all(variables) + arguments.operands.dropFirst() {
      subjects += try Remote.variables(Array(text.utf8), variables.name)
    }
    if let path = arguments[variablesFile] {
      let name = "\(variablesFile.name) \(path)"
      let bytes = try Inputs.bytes(of: path)
      let isOne = (try? Value(json: bytes.span)) != nil
      let texts = isOne ? [bytes] : bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
      for text in texts { subjects += try Remote.variables(text, name) }
    }
    guard !subjects.isEmpty else { throw Failure(.usage, "--variables is missing") }
    return subjects
  }

  /// Waits for a run, with a bar on a terminal; also how many requests it sent.
  private static func watch(
    _ run: ServiceRun<DiscoveryProgress, [Discovery]>
  ) -> (Result<[Discovery], ImageError>, Int) {
    let bar = ProgressBar()
    let result = Blocking.run { () async -> (Result<[Discovery], ImageError>, Int) in
      var requests = 0
      for await progress in run {
        requests = progress.requests
        bar.draw(
          progress.done, of: progress.total,
          "\(progress.discovered) discovered, \(progress.known) known")
      }
      do throws(ImageError) { return (.success(try await run.report), requests) } catch {
        return (.failure(error), requests)
      }
    }
    bar.clear()
    return result
  }

  /// Says whether the network was used, and what has no id.
  private static func tell(_ found: [Discovery], _ requests: Int) {
    for discovery in found where discovery.id == nil {
      let text =
        switch discovery.status {
        case .forbidden: "forbidden"
        case .failed(let failure): "\(failure.kind.rawValue): \(failure)"
        default: "not found"
        }
      let key = printable(discovery.key)
      Output.error("baton-image discover: \(key): \(printable(text))")
    }
    let known = found.filter { !$0.usedNetwork }.count
    Output.error(
      requests == 0
        ? "the network was not used: the image knew \(found.count == 1 ? "the key" : "all keys")"
        : "the network was used: \(counted(requests, "request", "requests")); "
          + "\(known) of \(counted(found.count, "key", "keys")) known before")
  }

  private static func value(_ discovery: Discovery) -> Value {
    var members: [Value.Member] = [
      .init("key", .string(discovery.key)),
      .init("id", discovery.id.map { .string($0) } ?? .null),
      .init("network", .boolean(discovery.usedNetwork)),
      .init("status", .string(status(discovery.status))),
    ]
    if case .failed(let failure) = discovery.status { members += FailureJSON.members(failure) }
    return .object(members)
  }

  private static func status(_ status: Discovery.Status) -> String {
    switch status {
    case .known: "known"
    case .discovered: "discovered"
    case .notFound: "notFound"
    case .forbidden: "forbidden"
    case .failed: "failed"
    }
  }
}

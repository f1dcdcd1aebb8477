import BatonImage
import BatonPlan
import Foundation

/// What the verbs that ask a service share: their options, and what those make.
enum Remote {
  static let endpoint = Option(
    name: "--endpoint", value: "URL", help: "where the service takes GraphQL over HTTP")
  static let header = Option(
    name: "--header", value: "'K: V'",
    help: "a header to send; @FILE reads lines of headers before each request", isRepeatable: true)
  static let concurrency = Option(
    name: "--concurrency", value: "N", help: "requests under way at a time; 2 unless given")
  static let timeout = Option(
    name: "--timeout", value: "SECONDS", help: "how long a request may take; 30 unless given")
  static let attempts = Option(
    name: "--attempts", value: "N", help: "how often to ask for an id at most; 5 unless given")
  static let wait = Option(
    name: "--wait", value: "SECONDS",
    help: "the longest rate limit to wait for, 30 unless given; 0 reports it at once")

  static let options: [Option] = [endpoint, header, concurrency, timeout, attempts, wait]

  /// The operation of `--document`, with the text that is sent.
  static func operation(_ arguments: Arguments) throws(Failure) -> RemoteOperation {
    let path = try arguments.required(.document)
    guard path != "-" else {
      throw Failure(.usage, "--document: a file is expected, as it is sent whole")
    }
    let plan = try Inputs.plan(arguments)
    let text = String(decoding: try Inputs.bytes(of: path), as: UTF8.self)
    return RemoteOperation(plan: plan, document: text)
  }

  static func transport(_ arguments: Arguments) throws(Failure) -> HTTPTransport {
    let text = try arguments.required(endpoint)
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil
    else { throw Failure(.usage, "--endpoint: an http or https URL is expected") }
    let seconds = try number(timeout, in: 1...86_400, arguments) ?? 30
    let given = arguments.all(header)
    // What is wrong with them is said before anything is sent.
    _ = try headers(given)
    return HTTPTransport(endpoint: url, timeout: .seconds(seconds)) { try headers(given) }
  }

  static func requestOptions(_ arguments: Arguments) throws(Failure) -> RequestOptions {
    var options = RequestOptions()
    if let count = try number(concurrency, in: 1...64, arguments) { options.concurrency = count }
    if let count = try number(attempts, in: 1...100, arguments) { options.retry.attempts = count }
    if let seconds = try number(wait, in: 0...86_400, arguments) {
      options.rateLimits = seconds == 0 ? .report : .wait(atMost: .seconds(seconds))
    }
    return options
  }

  /// The number of an option; nil when it isn't given.
  static func number(
    _ option: Option, in range: ClosedRange<Int>, _ arguments: Arguments
  ) throws(Failure) -> Int? {
    guard let text = arguments[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds = "\(range.lowerBound) to \(range.upperBound)"
      throw Failure(.usage, "\(option.name): a number from \(bounds) is expected")
    }
    return number
  }

  /// The sets of variables in a JSON text: an object is one, a list is of several.
  static func variables(
    _ json: [UInt8], _ name: String
  ) throws(Failure) -> [Variables] {
    let value: Value
    do throws(ImageError) {
      value = try Value(json: json.span)
    } catch .response(let problem) {
      throw Failure(.usage, "\(name): \(problem)")
    } catch {
      throw Failure(.usage, "\(name): \(error)")
    }
    let values: [Value] = if case .list(let elements) = value { elements } else { [value] }
    var sets: [Variables] = []
    for value in values {
      guard case .object(let members) = value else {
        throw Failure(.usage, "\(name): an object is expected")
      }
      sets.append(Dictionary(members.map { ($0.name, $0.value) }) { $1 })
    }
    return sets
  }

  /// Headers from `K: V` and files of such lines. A message never quotes a value.
  private static func headers(_ given: [String]) throws(Failure) -> [String: String] {
    var headers: [String: String] = [:]
    for text in given {
      var lines = [text]
      if text.hasPrefix("@") {
        let bytes = try Inputs.bytes(of: String(text.dropFirst()))
        lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
          .map(String.init)
      }
      for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].trimmingCharacters(in: .whitespaces)
        guard parts.count == 2, !name.isEmpty else {
          throw Failure(.usage, "--header: 'NAME: VALUE' is expected")
        }
        headers[name] = parts[1].trimmingCharacters(in: .whitespaces)
      }
    }
    return headers
  }
}

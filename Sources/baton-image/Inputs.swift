import BatonDocuments
import BatonImage
import BatonPlan
import Foundation

/// Reading what options and operands name.
enum Inputs {
  /// The bytes of a file; `-` is standard input.
  static func bytes(of path: String) throws(Failure) -> [UInt8] {
    do {
      if path == "-" { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      let isThere = path == "-" || FileManager.default.fileExists(atPath: path)
      throw Failure(
        .failed,
        isThere
          ? "\(path): can't be read: \(error.localizedDescription)"
          : "\(path): there is no such file")
    }
  }

  private static func source(_ path: String) throws(Failure) -> Source {
    Source(name: path, bytes: try bytes(of: path))
  }

  /// The schema of `--schema`, or nil.
  static func schema(_ arguments: Arguments) throws(Failure) -> Schema? {
    var sources: [Source] = []
    for path in arguments.all(.schema) { sources.append(try source(path)) }
    guard !sources.isEmpty else { return nil }
    return try compiling { () throws(DiagnosticsError) in try Schema(sources: sources) }
  }

  /// The plan of `--document` with `--operation` or `--fragment`.
  ///
  /// A name that the document does not hold is a usage failure, what is wrong with it is not.
  static func plan(_ arguments: Arguments) throws(Failure) -> Plan {
    let path = try arguments.required(.document)
    let schema = try schema(arguments)
    let source = try source(path)
    let document = try compiling { () throws(DiagnosticsError) in try Document(source) }
    if let fragment = arguments[.fragment] {
      if arguments.has(.operation) {
        throw Failure(.usage, "--operation and --fragment exclude each other")
      }
      try demand(fragment, of: document.fragmentNames, by: .fragment)
      return try compiling { () throws(DiagnosticsError) in
        try document.plan(fragment: fragment, schema: schema)
      }
    }
    let names = document.operationNames
    if let operation = arguments[.operation] {
      try demand(operation, of: names, by: .operation)
    } else if names.count > 1 {
      let known = names.joined(separator: ", ")
      throw Failure(.usage, "--operation is missing; the document has \(known)")
    }
    return try compiling { () throws(DiagnosticsError) in
      try document.plan(operation: arguments[.operation], schema: schema)
    }
  }

  private static func demand(
    _ name: String, of names: [String], by option: Option
  ) throws(Failure) {
    guard !names.contains(name) else { return }
    let known = names.isEmpty ? "none" : names.joined(separator: ", ")
    throw Failure(.usage, "\(option.name): the document has no '\(name)'; it has \(known)")
  }

  private static func compiling<Result>(
    _ body: () throws(DiagnosticsError) -> Result
  ) throws(Failure) -> Result {
    do throws(DiagnosticsError) { return try body() } catch { throw Failure(error) }
  }

  /// The variables of `--variables` or `--variables-file`, as they are given for a plan.
  ///
  /// One that the plan does not declare, and a value that does not fit, are usage failures.
  static func variables(_ arguments: Arguments, of plan: Plan) throws(Failure) -> Variables {
    let name: String
    var variables: Variables = [:]
    switch (arguments[.variables], arguments[.variablesFile]) {
    case (nil, nil): name = "--variables"
    case (.some, .some):
      throw Failure(.usage, "--variables and --variables-file exclude each other")
    case (let json?, nil):
      name = "--variables"
      variables = try object(Array(json.utf8), name)
    case (nil, let path?):
      name = "--variables-file \(path)"
      variables = try object(try bytes(of: path), name)
    }
    do { _ = try plan.resolvedVariables(variables) } catch {
      throw Failure(.usage, "\(name): \(error)")
    }
    return variables
  }

  private static func object(_ text: [UInt8], _ name: String) throws(Failure) -> Variables {
    guard case .object(let members) = try json(text, name, orFail: .usage) else {
      throw Failure(.usage, "\(name): an object is expected")
    }
    return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  /// The identity rules of `--config`, or nil.
  static func identity(_ arguments: Arguments) throws(Failure) -> IdentityRules? {
    guard let path = arguments[.config] else { return nil }
    let value = try json(try bytes(of: path), path, orFail: .failed)
    do throws(ConfigurationProblem) { return try Configuration.rules(value) } catch {
      throw Failure(.failed, "\(path): \(error.path): \(error.message)")
    }
  }

  private static func json(
    _ text: [UInt8], _ name: String, orFail status: ExitStatus
  ) throws(Failure) -> Value {
    do throws(ImageError) {
      return try Value(json: text.span)
    } catch .response(let problem) {
      throw Failure(status, "\(name): \(problem)")
    } catch {
      throw Failure(status, "\(name): \(error)")
    }
  }
}

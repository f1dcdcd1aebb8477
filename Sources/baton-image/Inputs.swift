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
      throw Failure(.failed, "\(path): can't be read: \(error.localizedDescription)")
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
    do throws(DiagnosticsError) { return try Schema(sources: sources) } catch {
      throw Failure(error)
    }
  }

  /// The plan of `--document` with `--operation` or `--fragment`.
  static func plan(_ arguments: Arguments) throws(Failure) -> Plan {
    let path = try arguments.required(.document)
    let schema = try schema(arguments)
    let source = try source(path)
    do throws(DiagnosticsError) {
      let document = try Document(source)
      if let fragment = arguments[.fragment] {
        return try document.plan(fragment: fragment, schema: schema)
      }
      return try document.plan(operation: arguments[.operation], schema: schema)
    } catch {
      throw Failure(error)
    }
  }

  /// The variables of `--variables` or `--variables-file`.
  static func variables(_ arguments: Arguments) throws(Failure) -> Variables {
    let name: String
    let text: [UInt8]
    switch (arguments[.variables], arguments[.variablesFile]) {
    case (nil, nil): return [:]
    case (.some, .some):
      throw Failure(.usage, "--variables and --variables-file exclude each other")
    case (let json?, nil): (name, text) = ("--variables", Array(json.utf8))
    case (nil, let path?): (name, text) = (path, try bytes(of: path))
    }
    let value = try json(text, name, orFail: .usage)
    guard case .object(let members) = value else {
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
    do throws(ImageError) { return try Value(json: text.span) } catch {
      throw Failure(status, "\(name): \(error)")
    }
  }
}

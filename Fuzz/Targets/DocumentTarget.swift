import BatonDocuments
import BatonImage
import BatonPlan

/// Parses and compiles documents and schemas, and prints what is wrong with them; the plans of
/// what is right are run against an empty image.
///
/// The first byte says what the rest is: `s` a schema, `d` a document for no schema, `t` one for
/// the target's own schema, anything else a schema and a document with a line `%%` between them.
enum DocumentTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    guard let mode = input.first else { return }
    let rest = Array(input.dropFirst())
    switch mode {
    case UInt8(ascii: "s"): _ = try schema(rest)
    case UInt8(ascii: "d"): try compile(rest, schema: nil)
    case UInt8(ascii: "t"): try compile(rest, schema: TargetSchema.schema)
    default:
      let (first, second) = split(rest)
      let schema = try schema(first)
      try compile(second, schema: schema)
    }
  }

  private static func split(_ bytes: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
    let line = Array("\n%%\n".utf8)
    for start in bytes.indices.dropLast(line.count - 1)
    where bytes[start] == line[0] && bytes[start..<start + line.count].elementsEqual(line) {
      return (Array(bytes[..<start]), Array(bytes[(start + line.count)...]))
    }
    return (bytes, bytes)
  }

  private static func schema(_ bytes: [UInt8]) throws(Finding) -> Schema? {
    do throws(DiagnosticsError) {
      return try Schema(sources: [Source(name: "schema", bytes: bytes)])
    } catch {
      try check(error, bytes)
      return nil
    }
  }

  private static func compile(_ bytes: [UInt8], schema: Schema?) throws(Finding) {
    let document: Document
    do throws(DiagnosticsError) {
      document = try Document(Source(name: "document", bytes: bytes))
    } catch {
      return try check(error, bytes)
    }
    for name in document.operationNames.prefix(16) {
      do throws(DiagnosticsError) {
        run(try document.plan(operation: name, schema: schema))
      } catch {
        try check(error, bytes)
      }
    }
    for name in document.fragmentNames.prefix(16) {
      do throws(DiagnosticsError) {
        run(try document.plan(fragment: name, schema: schema))
      } catch {
        try check(error, bytes)
      }
    }
  }

  /// Diagnostics are never empty and lie inside the source.
  private static func check(_ error: DiagnosticsError, _ bytes: [UInt8]) throws(Finding) {
    guard !error.diagnostics.isEmpty else { throw Finding("diagnostics without one") }
    var lines = 1
    for byte in bytes where byte == 0x0A || byte == 0x0D { lines += 1 }
    for diagnostic in error.diagnostics
    where diagnostic.line < 1 || diagnostic.line > lines || diagnostic.column < 1
      || diagnostic.message.isEmpty
    {
      throw Finding("a diagnostic outside the source: \(diagnostic)")
    }
    _ = error.description
  }

  private static func run(_ plan: Plan) {
    var variables: Variables = [:]
    for variable in plan.variables where variable.isRequired {
      variables[variable.name] = .list([.string("x"), .int(1)])
    }
    let source = MemorySource.empty
    if plan.kind == .fragment {
      _ = try? source.read(fragment: plan, of: 1, variables: variables, identity: .global)
    } else {
      _ = try? source.read(plan, variables: variables, identity: .global)
    }
  }
}

extension MemorySource {
  /// A source with the rows and names of the roots and nothing else.
  static let empty: MemorySource = {
    var source = MemorySource()
    for (index, name) in ["Query", "Mutation", "Subscription"].enumerated() {
      let number = UInt64(index + 1)
      source.put(.names, number, [0, 0, 0, 0, NameKind.type.rawValue] + Array(name.utf8))
      var row: [UInt8] = [0, 0, 0, 0]
      row.append(u32: UInt32(number))
      row.append(u64: 0)
      row.append(u16: 0)
      row.append(u16: RowFlags.pathKey.rawValue)
      row.append(u32: 0)
      source.put(.records, number, row)
    }
    return source
  }()
}

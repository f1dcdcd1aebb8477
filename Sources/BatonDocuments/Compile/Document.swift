public import BatonPlan

/// A parsed executable document: its operations and fragments.
///
/// Immutable; parsing checks the syntax and that names are unique, compiling checks the rest.
public struct Document: Sendable {
  let source: Source
  let operations: [OperationSyntax]
  let fragments: [FragmentSyntax]
  private let fragmentIndex: [String: Int]

  /// Parses a document.
  ///
  /// - Throws: The first syntax error, or every name that is given twice and every anonymous
  ///   operation that is not alone.
  public init(_ source: Source) throws(DiagnosticsError) {
    var operations: [OperationSyntax] = []
    var fragments: [FragmentSyntax] = []
    for definition in try Self.parse(source) {
      switch definition {
      case .operation(let operation): operations.append(operation)
      case .fragment(let fragment): fragments.append(fragment)
      }
    }
    self.source = source
    self.operations = operations
    self.fragments = fragments
    var findings = Findings()
    Self.checkNames(of: operations, &findings)
    fragmentIndex = Self.index(fragments, &findings)
    try findings.check(in: [source])
  }

  /// The names of the operations in order; an anonymous operation has the empty name.
  public var operationNames: [String] { operations.map { $0.name?.text ?? "" } }

  /// The names of the fragments in order.
  public var fragmentNames: [String] { fragments.map(\.name.text) }

  /// Compiles an operation and the fragments it spreads.
  ///
  /// - Parameters:
  ///   - operation: The operation's name; nil when the document has only one.
  ///   - schema: What to check and type the operation by; nil to take the document's word.
  /// - Throws: All that is wrong with the operation and the fragments it reaches.
  public func plan(
    operation: String? = nil, schema: Schema? = nil
  ) throws(DiagnosticsError) -> Plan {
    let chosen = try choose(operation)
    var compiler = PlanCompiler(document: self, schema: schema)
    return try compiler.plan(of: chosen)
  }

  /// Compiles a fragment and the fragments it spreads.
  ///
  /// The plan's variables are those that its fields use, in the order of their use; their types
  /// are what the schema's arguments ask for, or empty where nothing says.
  ///
  /// - Throws: All that is wrong with the fragment and the fragments it reaches.
  public func plan(
    fragment: String, schema: Schema? = nil
  ) throws(DiagnosticsError) -> Plan {
    guard let chosen = self.fragment(fragment) else {
      throw missing("fragment", fragment, fragmentNames)
    }
    var compiler = PlanCompiler(document: self, schema: schema)
    return try compiler.plan(of: fragments[chosen])
  }

  /// The index of the fragment of that name.
  func fragment(_ name: String) -> Int? { fragmentIndex[name] }

  private func choose(_ name: String?) throws(DiagnosticsError) -> OperationSyntax {
    if let name {
      if let found = operations.first(where: { ($0.name?.text ?? "") == name }) { return found }
      throw missing("operation", name, operationNames)
    }
    if operations.count == 1 { return operations[0] }
    let message =
      operations.isEmpty
      ? "the document has no operation"
      : "the document has \(operations.count) operations; one must be named: "
        + Self.excerpt(operationNames)
    throw DiagnosticsError([Finding(message, at: Place(source: 0, offset: 0))], in: [source])
  }

  private func missing(_ what: String, _ name: String, _ names: [String]) -> DiagnosticsError {
    let known = names.isEmpty ? "it has none" : "it has \(Self.excerpt(names))"
    let message = "the document has no \(what) '\(name)'; \(known)"
    return DiagnosticsError([Finding(message, at: Place(source: 0, offset: 0))], in: [source])
  }

  private static func excerpt(_ names: [String]) -> String {
    names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", ..." : "")
  }

  private static func parse(
    _ source: Source
  ) throws(DiagnosticsError) -> [ExecutableSyntax] {
    do throws(SyntaxError) {
      var parser = try Parser(source)
      return try parser.executableDocument()
    } catch {
      let place = Place(source: 0, offset: error.offset)
      throw DiagnosticsError([Finding(error.message, at: place)], in: [source])
    }
  }

  private static func checkNames(of operations: [OperationSyntax], _ findings: inout Findings) {
    var first: [String: Name] = [:]
    for operation in operations {
      guard let name = operation.name else {
        if operations.count > 1 {
          findings.add(
            "an anonymous operation stands alone in its document",
            at: Place(source: 0, offset: operation.offset))
        }
        continue
      }
      if let other = first[name.text] {
        findings.add(
          "the operation '\(name.text)' is defined twice",
          at: Place(source: 0, offset: name.offset),
          related: Place(source: 0, offset: other.offset))
      } else {
        first[name.text] = name
      }
    }
  }

  private static func index(
    _ fragments: [FragmentSyntax], _ findings: inout Findings
  ) -> [String: Int] {
    var index: [String: Int] = [:]
    for (position, fragment) in fragments.enumerated() {
      let name = fragment.name
      guard let other = index[name.text] else {
        index[name.text] = position
        continue
      }
      findings.add(
        "the fragment '\(name.text)' is defined twice",
        at: Place(source: 0, offset: name.offset),
        related: Place(source: 0, offset: fragments[other].name.offset))
    }
    return index
  }
}

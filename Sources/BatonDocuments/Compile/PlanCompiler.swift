import BatonPlan

/// Compiles one operation or fragment of a document, and the fragments it reaches, to a plan.
///
/// Every selection set becomes one selection of the pool, every fragment one however often it is
/// spread. Selection sets and fragments wait in queues until their turn, so that neither nesting
/// nor a chain of fragments costs stack.
struct PlanCompiler {
  /// What the rules need of a selection beside what the plan keeps; parallel to the pool.
  struct Notes {
    var parent: ParentType
    /// The entries as written, one for each item of the selection.
    var syntax: [SelectionSyntax]
    /// The types that the schema gives the fields; nil for other items and unknown fields.
    var types: [ResolvedType?] = []
  }

  /// A selection set whose turn is to come, and the place its selection is kept for it.
  private struct Waiting {
    var slot: Int
    var syntax: SelectionSetSyntax
    var parent: ParentType
  }

  let document: Document
  let schema: Schema?
  var findings = Findings()
  var suggestions = Suggestions()
  var reader: LiteralReader
  var pool: [Selection] = []
  var notes: [Notes] = []
  /// The fragments that each fragment reached so far spreads, with the spreads' places.
  var spreads: [Int: [SpreadSyntax]] = [:]
  /// The fragment at work; nil while it is the operation's turn.
  private var current: Int?
  /// The pool's index of each fragment reached so far.
  private var slots: [Int: Int] = [:]
  /// The fragments reached, in order.
  private var queue: [Int] = []
  /// The selection sets of the definition at work that are to come.
  private var waiting: [Waiting] = []
  private var relations: [[Int]: TypeTable.Relation] = [:]

  init(document: Document, schema: Schema?) {
    self.document = document
    self.schema = schema
    reader = LiteralReader(table: schema?.table)
  }

  mutating func plan(of operation: OperationSyntax) throws(DiagnosticsError) -> Plan {
    let parent = rootParent(of: operation)
    let variables = declare(operation.variables)
    checkDirectives(operation.directives, at: operation.kind.location)
    compile(operation.selections, in: parent, as: reserve())
    compileQueue()
    checkUses(against: operation)
    if operation.kind == .subscription { checkSubscription(operation) }
    try finish()
    return Plan(
      name: operation.name?.text ?? "", kind: operation.kind,
      rootType: TypeReference(operation.kind.rootName, isAbstract: false), variables: variables,
      selections: pool, typeSystem: schema?.typeSystem)
  }

  mutating func plan(of fragment: FragmentSyntax) throws(DiagnosticsError) -> Plan {
    if let index = document.fragment(fragment.name.text) { _ = slot(of: index) }
    compileQueue()
    try finish()
    let parent = notes.first?.parent ?? .unknown
    return Plan(
      name: fragment.name.text, kind: .fragment,
      rootType: reference(to: parent, otherwise: fragment.condition.text),
      variables: inferVariables(), selections: pool, typeSystem: schema?.typeSystem)
  }

  func place(_ offset: Int) -> Place { Place(source: 0, offset: offset) }

  private mutating func finish() throws(DiagnosticsError) {
    for complaint in reader.complaints {
      findings.add(complaint.message, at: place(complaint.offset))
    }
    if checkCycles() {
      var rule = OverlapRule(pool: pool, notes: notes, table: schema?.table)
      rule.check(&findings)
    }
    try findings.check(in: [document.source])
  }

  private mutating func rootParent(of operation: OperationSyntax) -> ParentType {
    guard let schema else { return .root }
    guard let root = schema.root(operation.kind) else {
      findings.add("the schema has no \(operation.kind.word) type", at: place(operation.offset))
      return .unknown
    }
    return .type(root)
  }

  private func reference(to parent: ParentType, otherwise name: String) -> TypeReference {
    guard let schema, case .type(let id) = parent else { return TypeReference(name) }
    return TypeReference(schema.storeName(id), isAbstract: schema.table[id].kind.isAbstract)
  }

  /// The pool's index of a fragment's selection, which may be filled in only later.
  private mutating func slot(of fragment: Int) -> Int {
    if let slot = slots[fragment] { return slot }
    let slot = reserve()
    slots[fragment] = slot
    queue.append(fragment)
    return slot
  }

  private mutating func reserve() -> Int {
    pool.append(Selection())
    notes.append(Notes(parent: .unknown, syntax: []))
    return pool.count - 1
  }

  private mutating func compileQueue() {
    var next = 0
    while next < queue.count {
      let index = queue[next]
      next += 1
      current = index
      let fragment = document.fragments[index]
      checkDirectives(fragment.directives, at: .fragmentDefinition)
      let parent = condition(fragment.condition)
      compile(fragment.selections, in: parent, as: slot(of: index))
    }
  }

  /// Compiles the selection set of a definition and all below it.
  private mutating func compile(
    _ syntax: SelectionSetSyntax, in parent: ParentType, as slot: Int
  ) {
    let start = reader.uses.count
    waiting.append(Waiting(slot: slot, syntax: syntax, parent: parent))
    while let next = waiting.popLast() { fill(next.slot, next.syntax, in: next.parent) }
    // The order of the turns is not that of the document.
    reader.uses[start...].sort { $0.offset < $1.offset }
  }

  /// Gives a selection set a selection of its own, which is filled in when its turn comes.
  mutating func selection(for syntax: SelectionSetSyntax, in parent: ParentType) -> Int {
    let slot = reserve()
    waiting.append(Waiting(slot: slot, syntax: syntax, parent: parent))
    return slot
  }

  private mutating func fill(_ slot: Int, _ syntax: SelectionSetSyntax, in parent: ParentType) {
    var items: [SelectionItem] = []
    var types: [ResolvedType?] = []
    for selection in syntax.items {
      switch selection {
      case .field(let field):
        let (item, type) = compile(field, in: parent)
        items.append(.field(item))
        types.append(type)
      case .spread(let spread):
        items.append(.refinement(compile(spread, in: parent)))
        types.append(nil)
      case .inline(let inline):
        items.append(.refinement(compile(inline, in: parent)))
        types.append(nil)
      }
    }
    pool[slot] = Selection(items)
    notes[slot] = Notes(parent: parent, syntax: syntax.items, types: types)
  }

  private mutating func compile(
    _ inline: InlineFragmentSyntax, in parent: ParentType
  ) -> Refinement {
    let inner = inline.condition.map { condition($0) } ?? parent
    checkDirectives(inline.directives, at: .inlineFragment)
    return Refinement(
      typeCondition: inline.condition.flatMap {
        typeCondition(inner, in: parent, name: $0.text, at: inline.offset, "this fragment")
      },
      conditions: conditions(inline.directives),
      selection: selection(for: inline.selections, in: refined(parent, to: inner)),
      deferLabel: deferLabel(inline.directives))
  }

  private mutating func compile(_ spread: SpreadSyntax, in parent: ParentType) -> Refinement {
    checkDirectives(spread.directives, at: .fragmentSpread)
    var refinement = Refinement(
      conditions: conditions(spread.directives), selection: 0, fragmentName: spread.name.text,
      deferLabel: deferLabel(spread.directives))
    guard let index = document.fragment(spread.name.text) else {
      let hint = suggestions.phrase(for: spread.name.text, among: document.fragmentNames)
      findings.add(
        "there is no fragment '\(spread.name.text)'\(hint)", at: place(spread.name.offset))
      // Nothing is spread: an empty selection keeps items and syntax in step.
      refinement.selection = reserve()
      return refinement
    }
    if let current { spreads[current, default: []].append(spread) }
    let name = document.fragments[index].condition.text
    refinement.selection = slot(of: index)
    refinement.typeCondition = typeCondition(
      ParentType(condition: name, in: schema), in: parent, name: name, at: spread.offset,
      "the fragment '\(spread.name.text)'")
    return refinement
  }

  /// Without a schema whatever holds at an operation's root still is the root.
  private func refined(_ parent: ParentType, to inner: ParentType) -> ParentType {
    parent == .root ? .root : inner
  }

  /// The type a fragment's condition names, with a finding when it can't be one.
  private mutating func condition(_ name: Name) -> ParentType {
    guard let schema else { return .named(name.text) }
    guard let id = schema.table.id(of: name.text) else {
      let hint = suggestions.phrase(for: name.text, among: schema.table.names)
      findings.add("there is no type '\(name.text)'\(hint)", at: place(name.offset))
      return .unknown
    }
    guard schema.table[id].kind.isComposite else {
      findings.add(
        "'\(name.text)' is \(schema.table[id].kind.phrase); a fragment is on an object type, "
          + "an interface or a union", at: place(name.offset))
      return .unknown
    }
    return .type(id)
  }

  /// The condition a refinement keeps; nil when every object of `parent` satisfies it.
  private mutating func typeCondition(
    _ inner: ParentType, in parent: ParentType, name: String, at offset: Int, _ what: String
  ) -> TypeCondition? {
    guard let schema else {
      // An operation's root is one object: a fragment that may hold there always does.
      return parent == .root || parent == inner ? nil : TypeCondition(name)
    }
    guard case .type(let id) = inner else { return TypeCondition(name) }
    let type = schema.table[id]
    guard case .type(let outer) = parent else {
      return TypeCondition(schema.storeName(id), isAbstract: type.kind.isAbstract)
    }
    switch relation(of: outer, to: id, in: schema.table) {
    case .contained:
      return nil
    case .disjoint:
      findings.add(
        "\(what) is on '\(type.name)', which no '\(schema.table[outer].name)' can be",
        at: place(offset))
    case .overlapping:
      break
    }
    return TypeCondition(schema.storeName(id), isAbstract: type.kind.isAbstract)
  }

  private mutating func relation(
    of one: Int, to other: Int, in table: TypeTable
  ) -> TypeTable.Relation {
    if let known = relations[[one, other]] { return known }
    let relation = table.relation(of: one, to: other)
    relations[[one, other]] = relation
    return relation
  }
}

import BatonPlan

/// Applying edge and record directives, as Relay's mutation handlers do (R6).
extension CommitSession {
  mutating func edit(
    _ edits: [RecordEdit], variables: Variables, identity: IdentityRules
  ) throws(ImageError) {
    for edit in edits {
      switch edit.directive.kind {
      case .deleteRecord:
        for number in try records(of: edit.subject) { try deleteRecord(number) }
      case .deleteEdge:
        let nodes = Set(try records(of: edit.subject))
        for connection in try connections(edit.directive, variables) {
          try deleteEdges(to: nodes, from: connection)
        }
      case .appendEdge, .prependEdge, .appendNode, .prependNode:
        guard case .records(let numbers) = edit.subject else { continue }
        for connection in try connections(edit.directive, variables) {
          try insert(numbers.filter { $0 != 0 }, edit.directive, into: connection)
        }
      }
    }
  }

  /// The connections a directive names by their keys; those the image doesn't hold are left out.
  private borrowing func connections(
    _ directive: EditDirective, _ variables: Variables
  ) throws(ImageError) -> [UInt32] {
    guard case .list(let keys)? = directive.connections?.value(under: variables) else { return [] }
    var numbers: [UInt32] = []
    for case .string(let key) in keys {
      if let number = try number(ofRecord: key) { numbers.append(number) }
    }
    return numbers
  }

  /// The live records that ids name; under the scope `type`, of any type.
  private borrowing func records(
    of subject: RecordEdit.Subject
  ) throws(ImageError) -> [UInt32] {
    switch subject {
    case .records(let numbers): return numbers.filter { $0 != 0 }
    case .ids(let ids):
      var numbers: [UInt32] = []
      for id in ids {
        if identity.scope == .global {
          if let number = try number(ofId: id) { numbers.append(try resolved(number)) }
        } else if let number = try number(ofUntypedId: id) {
          numbers.append(number)
        }
      }
      return numbers
    }
  }

  /// The one live record of any type with an id; nil when several have it, or none.
  private borrowing func number(ofUntypedId id: [UInt8]) throws(ImageError) -> UInt32? {
    var types: [[UInt8]] = []
    try forEach(.names, from: 1) { _, value in
      if value.count > 5, value[4] == NameKind.type.rawValue {
        types.append(value.extracting(droppingFirst: 5).copy())
      }
      return true
    }
    var found: Set<UInt32> = []
    for type in types {
      guard let number = try number(ofId: type + [UInt8(ascii: ":")] + id) else { continue }
      let target = try resolved(number)
      if let row = try row(target), !row.flags.contains(.deleted) { found.insert(target) }
    }
    return found.count == 1 ? found.first : nil
  }

  // MARK: Deletion

  /// Deletes a record: its fields go, links to it lead to nothing, lists keep its place.
  mutating func deleteRecord(_ number: UInt32) throws(ImageError) {
    guard number >= RowLayout.firstRecord, var draft = try draft(number),
      !draft.flags.contains(.deleted), !draft.flags.contains(.moved)
    else { return }
    var fields = draft.cells.map(\.field)
    if draft.flags.contains(.spilled) {
      fields += try dropSpilled(number)
      draft.flags.remove(.spilled)
    }
    draft.cells = []
    draft.flags.insert(.deleted)
    draft.flags.remove(.evicted)
    draft.commit = state.commit + 1
    try putRow(draft.encoded(number: number), number)
    journal.note(number, .deleted, fields: fields)
  }

  // MARK: Edges

  private mutating func deleteEdges(
    to nodes: Set<UInt32>, from connection: UInt32
  ) throws(ImageError) {
    let names = try ConnectionNames(&self)
    guard let edges = try links(of: connection, field: names.edges) else { return }
    var kept: [UInt32] = []
    for edge in edges {
      if edge != 0, let node = try node(of: edge, names), nodes.contains(node) { continue }
      kept.append(edge)
    }
    guard kept.count != edges.count else { return }
    var edit = GraphEdit()
    let index = try edit.touch(connection, in: self)
    edit.set(names.edges, links: kept, on: index)
    try apply(edit.changes)
  }

  /// Inserts edges, or nodes in edges of their own, where no edge leads to the node yet.
  private mutating func insert(
    _ numbers: [UInt32], _ directive: EditDirective, into connection: UInt32
  ) throws(ImageError) {
    let names = try ConnectionNames(&self)
    guard var edges = try links(of: connection, field: names.edges) else { return }
    var nodes: Set<UInt32> = []
    for edge in edges where edge != 0 {
      if let node = try node(of: edge, names) { nodes.insert(node) }
    }
    let isNode = directive.kind == .appendNode || directive.kind == .prependNode
    var added: [UInt32] = []
    for number in numbers {
      let node = isNode ? try resolved(number) : try node(of: number, names)
      if let node, !nodes.insert(node).inserted { continue }
      added.append(number)
    }
    guard !added.isEmpty else { return }
    let nextIndex = try storageKey("__connection_next_edge_index")
    var next = try cell(of: connection, field: nextIndex)?.int ?? 0
    var edit = GraphEdit()
    for number in added {
      let path = PathKey(
        parent: connection, field: names.edges, type: 0,
        indexes: [UInt32(truncatingIfNeeded: next)])
      next += 1
      let edge: UInt32
      if isNode {
        edge = try makeEdge(to: number, directive, path, names, &edit)
      } else {
        edge = try copyEdge(number, path, &edit)
      }
      let isFirst = directive.kind == .prependEdge || directive.kind == .prependNode
      edges.insert(edge, at: isFirst ? 0 : edges.count)
    }
    let index = try edit.touch(connection, in: self)
    edit.set(names.edges, links: edges, on: index)
    edit.set(nextIndex, int: next, on: index)
    try apply(edit.changes)
  }

  private mutating func makeEdge(
    to node: UInt32, _ directive: EditDirective, _ path: PathKey, _ names: ConnectionNames,
    _ edit: inout GraphEdit
  ) throws(ImageError) -> UInt32 {
    let type = try name(Array((directive.edgeTypeName ?? "").utf8).span, .type)
    let edge = try edit.touch(path: path, type: type, in: &self)
    edit.setNull(names.cursor, on: edge.index)
    edit.set(names.node, link: node, on: edge.index)
    return edge.number
  }

  private mutating func copyEdge(
    _ number: UInt32, _ path: PathKey, _ edit: inout GraphEdit
  ) throws(ImageError) -> UInt32 {
    guard let draft = try draft(number) else { return number }
    let edge = try edit.touch(path: path, type: draft.type, in: &self)
    for cell in draft.cells { edit.set(cell.field, cell: cell.bytes.span, on: edge.index) }
    return edge.number
  }
}

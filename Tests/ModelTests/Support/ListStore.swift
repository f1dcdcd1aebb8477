/// Connections in a store of dictionaries: pages merged, edges inserted and deleted as Relay does
/// (R6).
struct ListStore {
  typealias Value = ReferenceStore.Value
  typealias Record = ReferenceStore.Record

  var base = ReferenceStore()

  static let mutation = "client:root:mutation"

  /// An answered edge.
  struct Edge {
    var cursor: String
    var node: String

    var text: String { "{\"cursor\":\"\(cursor)\",\"node\":{\"id\":\"\(node)\"}}" }
  }

  /// An answered page.
  struct Page {
    /// The field's storage key, and that of its connection.
    var key: String
    var connection: String
    /// Nil for an edge that is null.
    var edges: [Edge?]
    var total: Int
    /// Page info as JSON tokens.
    var info: [String: String]
    /// The cursors that the page was asked after or before.
    var after: String?
    var before: String?
  }

  // MARK: Records

  func cell(_ field: String, of record: String) -> Value? {
    base.records[record]?.cells[field]?.value
  }

  private mutating func set(_ field: String, _ value: Value, of record: String) {
    base.records[record]?.cells[field] = .init(value: value)
  }

  private mutating func make(_ record: String, _ type: String) {
    if base.records[record] == nil { base.records[record] = Record(type: type) }
  }

  private mutating func write(_ edge: Edge, to record: String) {
    make(edge.node, "Item")
    set("id", .leaf("\"\(edge.node)\""), of: edge.node)
    make(record, "Edge")
    set("cursor", .leaf("\"\(edge.cursor)\""), of: record)
    set("node", .link(edge.node), of: record)
  }

  private func edges(of record: String) -> [String?]? {
    if case .links(let edges)? = cell("edges", of: record) { edges } else { nil }
  }

  private func node(of edge: String) -> String? {
    if case .link(let node)? = cell("node", of: edge) { node } else { nil }
  }

  // MARK: Pages

  mutating func commit(_ page: Page) {
    let root = ReferenceStore.root
    let record = "\(root):\(page.key)"
    let connection = "\(root):\(page.connection)"
    make(record, "List")
    make(connection, "List")
    set(page.key, .link(record), of: root)
    set(page.connection, .link(connection), of: root)
    var links: [String?] = []
    for (index, edge) in page.edges.enumerated() {
      if let edge { write(edge, to: "\(record):edges:\(index)") }
      links.append(edge == nil ? nil : "\(record):edges:\(index)")
    }
    set("edges", .links(links), of: record)
    set("total", .leaf(String(page.total)), of: record)
    set("total", .leaf(String(page.total)), of: connection)
    make("\(record):pageInfo", "PageInfo")
    set("pageInfo", .link("\(record):pageInfo"), of: record)
    for (key, token) in page.info { set(key, Self.value(token), of: "\(record):pageInfo") }
    merge(page, links, into: connection)
  }

  /// A page after the end, or the last one again, goes to the end, one before the start to the
  /// start, one that was asked without a cursor takes the place of all; others are of somewhere
  /// else.
  private mutating func merge(_ page: Page, _ links: [String?], into connection: String) {
    let info = "\(connection):pageInfo"
    guard let old = edges(of: connection) else {
      take(page.info, of: Array(page.info.keys), links, into: connection)
      return
    }
    if let after = page.after {
      let end = cell("endCursor", of: info)
      guard end == .leaf("\"\(after)\"") || end == page.info["endCursor"].map({ Self.value($0) })
      else { return }
      take(page.info, of: ["endCursor", "hasNextPage"], old + links, into: connection)
    } else if let before = page.before {
      guard cell("startCursor", of: info) == .leaf("\"\(before)\"") else { return }
      take(page.info, of: ["hasPreviousPage", "startCursor"], links + old, into: connection)
    } else {
      take(page.info, of: Array(page.info.keys), links, into: connection)
    }
  }

  private static func value(_ token: String) -> Value { token == "null" ? .null : .leaf(token) }

  private mutating func take(
    _ info: [String: String], of fields: [String], _ links: [String?], into connection: String
  ) {
    var nodes: Set<String> = []
    let kept = links.compactMap { $0 }.filter { edge in
      node(of: edge).map { nodes.insert($0).inserted } ?? true
    }
    set("edges", .links(kept), of: connection)
    make("\(connection):pageInfo", "PageInfo")
    set("pageInfo", .link("\(connection):pageInfo"), of: connection)
    for field in fields {
      guard let token = info[field] else { continue }
      set(field, Self.value(token), of: "\(connection):pageInfo")
    }
  }

  // MARK: Edits

  /// Inserts a copy of an edge, or an edge to a node, where none leads to the node yet.
  mutating func insert(_ edge: Edge, isNode: Bool, first isFirst: Bool, into connection: String) {
    let payload = "\(Self.mutation):add"
    make(payload, "Added")
    set("add", .link(payload), of: Self.mutation)
    if isNode {
      make(edge.node, "Item")
      set("id", .leaf("\"\(edge.node)\""), of: edge.node)
      set("item", .link(edge.node), of: payload)
    } else {
      write(edge, to: "\(payload):edge")
      set("edge", .link("\(payload):edge"), of: payload)
    }
    guard var edges = edges(of: connection) else { return }
    var next = 0
    if case .leaf(let token)? = cell("__connection_next_edge_index", of: connection) {
      next = Int(token) ?? 0
    }
    let isThere = edges.contains { $0.map { node(of: $0) == edge.node } ?? false }
    if isThere { return }
    let record = "\(connection):edges:\(next)"
    next += 1
    make(record, "Edge")
    set("cursor", isNode ? .null : .leaf("\"\(edge.cursor)\""), of: record)
    set("node", .link(edge.node), of: record)
    edges.insert(record, at: isFirst ? 0 : edges.count)
    set("edges", .links(edges), of: connection)
    set("__connection_next_edge_index", .leaf(String(next)), of: connection)
  }

  mutating func deleteEdge(to node: String, from connection: String) {
    remove(node)
    guard let edges = edges(of: connection), base.records[node] != nil else { return }
    let kept = edges.filter { edge in edge.map { self.node(of: $0) != node } ?? true }
    set("edges", .links(kept), of: connection)
  }

  /// The payload of a deletion.
  private mutating func remove(_ node: String) {
    let payload = "\(Self.mutation):remove"
    make(payload, "Removed")
    set("remove", .link(payload), of: Self.mutation)
    set("deletedId", .leaf("\"\(node)\""), of: payload)
  }

  // MARK: Launches

  /// The first commit of a launch drops what mutations of earlier ones answered.
  mutating func dropPayloads() {
    base.records[Self.mutation]?.cells = [:]
    for key in base.records.keys where key.hasPrefix("\(Self.mutation):") {
      base.records[key] = nil
    }
  }
}

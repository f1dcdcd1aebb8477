/// Merging pages into connections, as Relay's connection handler does (R6).
extension CommitSession {
  /// Merges the pages of a response, those of one connection as one change: written one after the
  /// other, they would take each other back in every commit of the same response.
  mutating func merge(pages: [ConnectionMerge]) throws(ImageError) {
    guard !pages.isEmpty else { return }
    let names = try ConnectionNames(&self)
    guard pages.count > 1 else { return try merge(pages, names) }
    var places: [UInt32: Int] = [:]
    var connections: [[ConnectionMerge]] = []
    for page in pages.lastOfEqual({ $0 }) {
      if let place = places[page.connection] {
        connections[place].append(page)
      } else {
        places[page.connection] = connections.count
        connections.append([page])
      }
    }
    for pages in connections { try merge(pages, names) }
  }

  /// Merges pages of one connection, each into what those before left.
  private mutating func merge(
    _ merges: [ConnectionMerge], _ names: ConnectionNames
  ) throws(ImageError) {
    var edit = GraphEdit()
    let number = merges[0].connection
    let connection = try edit.touch(number, in: self)
    var old = try Page(number, names, in: self)
    for merge in merges {
      let page = try Page(merge.page, names, in: self)
      if let row = try row(merge.page) {
        edit.setType(row.type, of: connection)
        for index in 0..<row.cellCount {
          let field = row.field(at: index)
          guard field != names.edges, field != names.pageInfo else { continue }
          edit.set(field, cell: try row.cell(at: index).bytes, on: connection)
        }
      }
      guard let edges = try edges(merge.mode, page, old, names) else { continue }
      edit.set(names.edges, links: edges, on: connection)
      old.edges = edges
      try mergePageInfo(merge, page, &old, names, connection, &edit)
    }
    try apply(edit.changes)
  }

  /// The connection's edges after the page; nil when the page is of somewhere else.
  private borrowing func edges(
    _ mode: ConnectionMerge.Mode, _ page: Page, _ old: Page, _ names: ConnectionNames
  ) throws(ImageError) -> [UInt32]? {
    guard let new = page.edges else { return old.edges }
    guard let previous = old.edges else { return try deduplicated(new, names) }
    switch mode {
    case .replace: return try deduplicated(new, names)
    case .append(let cursor):
      // The page after the last one, or the last one again.
      guard old.endCursor == cursor || old.endCursor == page.endCursor else { return nil }
      return try deduplicated(previous + new, names)
    case .prepend(let cursor):
      guard old.startCursor == cursor else { return nil }
      return try deduplicated(new + previous, names)
    }
  }

  /// The edges without nulls, for each node its first edge alone, and each edge without a node once:
  /// the last page may come again.
  private borrowing func deduplicated(
    _ edges: [UInt32], _ names: ConnectionNames
  ) throws(ImageError) -> [UInt32] {
    var nodes: Set<UInt32> = []
    var others: Set<UInt32> = []
    var kept: [UInt32] = []
    for edge in edges where edge != 0 {
      let isNew =
        if let node = try node(of: edge, names) {
          nodes.insert(node).inserted
        } else {
          others.insert(edge).inserted
        }
      if isNew { kept.append(edge) }
    }
    return kept
  }

  /// The record an edge leads to.
  borrowing func node(of edge: UInt32, _ names: ConnectionNames) throws(ImageError) -> UInt32? {
    guard let link = try cell(of: edge, field: names.node)?.link else { return nil }
    return try resolved(link)
  }

  /// Takes over what the page says of the end it extends.
  private mutating func mergePageInfo(
    _ merge: ConnectionMerge, _ page: Page, _ old: inout Page, _ names: ConnectionNames,
    _ connection: Int, _ edit: inout GraphEdit
  ) throws(ImageError) {
    guard let pageInfo = page.pageInfo, let type = try type(of: pageInfo) else { return }
    let path = PathKey(parent: merge.connection, field: names.pageInfo, type: 0, indexes: [])
    let info = try edit.touch(path: path, type: type, in: &self)
    edit.set(names.pageInfo, link: info.number, on: connection)
    let fields: [UInt32]?
    switch merge.mode {
    case .replace: fields = nil
    case .append: fields = old.pageInfo == nil ? nil : [names.hasNextPage, names.endCursor]
    case .prepend:
      fields = old.pageInfo == nil ? nil : [names.hasPreviousPage, names.startCursor]
    }
    old.pageInfo = info.number
    guard let row = try self.row(pageInfo) else { return }
    for index in 0..<row.cellCount {
      let field = row.field(at: index)
      if let fields, !fields.contains(field) { continue }
      edit.set(field, cell: try row.cell(at: index).bytes, on: info.index)
      if field == names.endCursor { old.endCursor = page.endCursor }
      if field == names.startCursor { old.startCursor = page.startCursor }
    }
  }

  /// What a connection or a page holds.
  private struct Page {
    /// Its edges, 0 for null; nil when it has none.
    var edges: [UInt32]?
    var pageInfo: UInt32?
    var endCursor: [UInt8]?
    var startCursor: [UInt8]?

    init(
      _ number: UInt32, _ names: ConnectionNames, in session: borrowing CommitSession
    ) throws(ImageError) {
      edges = try session.links(of: number, field: names.edges)
      pageInfo = try session.cell(of: number, field: names.pageInfo)?.link
      guard let pageInfo else { return }
      endCursor = try session.text(pageInfo, names.endCursor)
      startCursor = try session.text(pageInfo, names.startCursor)
    }
  }

  private borrowing func text(
    _ record: UInt32, _ field: UInt32
  ) throws(ImageError) -> [UInt8]? {
    guard let cell = try cell(of: record, field: field), cell.kind == .string else { return nil }
    return cell.payload.copy()
  }

  /// The type of a record's row; nil when there is no row.
  private borrowing func type(of number: UInt32) throws(ImageError) -> UInt32? {
    guard let row = try row(number) else { return nil }
    return row.type
  }

  /// The links of a list field, 0 for null; nil when the field is no list of links.
  borrowing func links(of number: UInt32, field: UInt32) throws(ImageError) -> [UInt32]? {
    guard let cell = try cell(of: number, field: field), cell.kind == .links else { return nil }
    return (0..<cell.linkCount).map { cell.link(at: $0) }
  }
}

/// The name numbers of a connection's fields, as the cursor connections specification names them.
struct ConnectionNames {
  let edges: UInt32
  let node: UInt32
  let cursor: UInt32
  let pageInfo: UInt32
  let endCursor: UInt32
  let startCursor: UInt32
  let hasNextPage: UInt32
  let hasPreviousPage: UInt32

  init(_ session: inout CommitSession) throws(ImageError) {
    edges = try session.storageKey("edges")
    node = try session.storageKey("node")
    cursor = try session.storageKey("cursor")
    pageInfo = try session.storageKey("pageInfo")
    endCursor = try session.storageKey("endCursor")
    startCursor = try session.storageKey("startCursor")
    hasNextPage = try session.storageKey("hasNextPage")
    hasPreviousPage = try session.storageKey("hasPreviousPage")
  }
}

extension CommitSession {
  /// The name number of a storage key, given when it is new.
  mutating func storageKey(_ text: String) throws(ImageError) -> UInt32 {
    try name(Array(text.utf8).span, .storageKey)
  }
}

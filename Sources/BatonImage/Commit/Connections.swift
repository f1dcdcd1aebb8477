/// Merging pages into connections, as Relay's connection handler does (R6).
extension CommitSession {
  mutating func merge(pages: [ConnectionMerge]) throws(ImageError) {
    for page in pages { try merge(page) }
  }

  private mutating func merge(_ merge: ConnectionMerge) throws(ImageError) {
    let names = try ConnectionNames(&self)
    let page = try Page(merge.page, names, in: self)
    let old = try Page(merge.connection, names, in: self)
    var edit = GraphEdit()
    let connection = try edit.touch(merge.connection, in: self)
    if let row = try row(merge.page) {
      edit.setType(row.type, of: connection)
      for index in 0..<row.cellCount {
        let field = row.field(at: index)
        guard field != names.edges, field != names.pageInfo else { continue }
        edit.set(field, cell: try row.cell(at: index).bytes, on: connection)
      }
    }
    if let edges = try edges(merge.mode, page, old, names) {
      edit.set(names.edges, links: edges, on: connection)
      try mergePageInfo(merge, page, old, names, connection, &edit)
    }
    try apply(edit.changes)
  }

  /// The connection's edges after the page; nil when the page is of somewhere else.
  private borrowing func edges(
    _ mode: ConnectionMerge.Mode, _ page: Page, _ old: Page, _ names: ConnectionNames
  ) throws(ImageError) -> [UInt32]? {
    guard let new = page.edges else { return old.edges == nil ? nil : old.edges }
    guard let previous = old.edges else { return try deduplicated(new, names) }
    switch mode {
    case .replace: return try deduplicated(new, names)
    case .append(let cursor):
      let end = try text(old.pageInfo, names.endCursor)
      // The page after the last one, or the last one again.
      let pageEnd = try text(page.pageInfo, names.endCursor)
      guard end == cursor || end == pageEnd else { return nil }
      return try deduplicated(previous + new, names)
    case .prepend(let cursor):
      guard try text(old.pageInfo, names.startCursor) == cursor else { return nil }
      return try deduplicated(new + previous, names)
    }
  }

  /// The edges without nulls, and for each node its first edge alone.
  private borrowing func deduplicated(
    _ edges: [UInt32], _ names: ConnectionNames
  ) throws(ImageError) -> [UInt32] {
    var nodes: Set<UInt32> = []
    var kept: [UInt32] = []
    for edge in edges where edge != 0 {
      if let node = try node(of: edge, names), !nodes.insert(node).inserted { continue }
      kept.append(edge)
    }
    return kept
  }

  /// The record an edge leads to.
  borrowing func node(of edge: UInt32, _ names: ConnectionNames) throws(ImageError) -> UInt32? {
    guard let link = try cell(of: edge, field: names.node)?.link else { return nil }
    return try resolved(link)
  }

  private borrowing func text(
    _ record: UInt32?, _ field: UInt32
  ) throws(ImageError) -> [UInt8]? {
    guard let record, let cell = try cell(of: record, field: field), cell.kind == .string else {
      return nil
    }
    return cell.payload.copy()
  }

  /// Takes over what the page says of the end it extends.
  private mutating func mergePageInfo(
    _ merge: ConnectionMerge, _ page: Page, _ old: Page, _ names: ConnectionNames,
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
    guard let row = try self.row(pageInfo) else { return }
    for index in 0..<row.cellCount {
      let field = row.field(at: index)
      if let fields, !fields.contains(field) { continue }
      edit.set(field, cell: try row.cell(at: index).bytes, on: info.index)
    }
  }

  /// What a connection or a page holds.
  private struct Page {
    /// Its edges, 0 for null; nil when it has none.
    var edges: [UInt32]?
    var pageInfo: UInt32?

    init(
      _ number: UInt32, _ names: ConnectionNames, in session: borrowing CommitSession
    ) throws(ImageError) {
      edges = try session.links(of: number, field: names.edges)
      pageInfo = try session.cell(of: number, field: names.pageInfo)?.link
    }
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

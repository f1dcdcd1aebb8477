/// A cursor connection read as a collection of its nodes (GraphQL Cursor Connections).
public struct LensConnection<Node>: ~Escapable {
  private let connection: Lens<Node>
  private let edges: LensList<Node>

  @_lifetime(copy connection)
  init(_ connection: borrowing Lens<Node>) throws(FieldProblem) {
    edges = try connection.links("edges", as: Node.self)
    self.connection = copy connection
  }

  /// The number of edges, those without a live node included.
  public var count: Int { edges.count }

  /// The node of an edge; nil when the edge or its node is null.
  @_lifetime(copy self)
  public func node(at index: Int) throws(FieldProblem) -> Lens<Node>? {
    guard let edge = try edges.element(at: index) else { return nil }
    return try edge.optionalLink("node", as: Node.self)
  }

  /// Calls `body` with each live node, in the order of the edges.
  public func forEach(
    _ body: (borrowing Lens<Node>) throws(FieldProblem) -> Void
  ) throws(FieldProblem) {
    for index in 0..<count where try edges.isLive(at: index) {
      guard let edge = try edges.element(at: index), try edge.state(of: "node") == .value,
        let node = try edge.optionalLink("node", as: Node.self)
      else { continue }
      try body(node)
    }
  }

  /// The page info, where the selection asks for it.
  public var pageInfo: PageInfo {
    get throws(FieldProblem) {
      let info = try connection.link("pageInfo", as: Node.self)
      return PageInfo(
        hasNextPage: try info.present("hasNextPage"),
        hasPreviousPage: try info.present("hasPreviousPage"),
        startCursor: try info.present("startCursor"), endCursor: try info.present("endCursor"))
    }
  }
}

/// What a connection says of its ends; nil where the selection doesn't ask or nothing was received.
public struct PageInfo: Sendable, Equatable {
  public var hasNextPage: Bool?
  public var hasPreviousPage: Bool?
  public var startCursor: String?
  public var endCursor: String?

  public init(
    hasNextPage: Bool? = nil, hasPreviousPage: Bool? = nil, startCursor: String? = nil,
    endCursor: String? = nil
  ) {
    self.hasNextPage = hasNextPage
    self.hasPreviousPage = hasPreviousPage
    self.startCursor = startCursor
    self.endCursor = endCursor
  }
}

extension Lens {
  /// A connection's field as a collection of its nodes; nil for null.
  ///
  /// The field's selection must ask for `edges` and `node`.
  @_lifetime(copy self)
  public func connection<Node>(
    _ key: FieldKey, of _: Node.Type = Node.self
  ) throws(FieldProblem) -> LensConnection<Node>? {
    guard let lens = try optionalLink(key, as: Node.self) else { return nil }
    return try LensConnection<Node>(lens)
  }

  /// A leaf that may be absent for any reason.
  func present<Scalar: LensScalar>(_ key: FieldKey) throws(FieldProblem) -> Scalar? {
    guard shape.index(of: key) != nil, try state(of: key) == .value else { return nil }
    return try optional(key)
  }
}

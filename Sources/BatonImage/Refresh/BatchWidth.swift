import BatonPlan

/// How many ids a request asks for.
public enum BatchWidth {
  /// The most any service takes that is known: GitHub refuses more.
  public static let maximum = 100
  /// For a selection without long lists.
  public static let standard = 50
  /// For a selection with a connection, whose pages a service may cut short, without a word, when
  /// many are asked for at once: the width that was found safe (Docs/Refresh.md).
  public static let withConnections = 24

  /// The nodes one request was seen to be given in full: `withConnections` subjects with a page of
  /// 100 each.
  private static let safeNodes = withConnections * assumedPage
  /// The page of a connection that doesn't say its size.
  private static let assumedPage = 100

  /// The width a plan gets when its caller chooses none.
  ///
  /// That is `withConnections` as soon as the selection holds a connection, unless all its pages
  /// together are so short that `standard` subjects ask for no more nodes than that width does with
  /// pages of 100.
  static func chosen(for plan: Plan, below selection: Int, variables: Variables) -> Int {
    var count = NodeCount(plan: plan, variables: variables)
    let nodes = count.nodes(below: selection)
    return nodes * standard <= safeNodes ? standard : withConnections
  }

  /// Counts the nodes that the connections of a selection ask for.
  private struct NodeCount {
    let plan: Plan
    let variables: Variables
    /// What was counted; a selection that is being counted has none.
    private var counts: [Int: Int] = [:]
    /// Past this there is nothing to tell any more.
    private static let enough = 1_000_000

    init(plan: Plan, variables: Variables) {
      self.plan = plan
      self.variables = variables
    }

    mutating func nodes(below selection: Int) -> Int {
      if let count = counts[selection] { return count }
      counts[selection] = 0
      var total = 0
      for item in plan.selections[selection].items {
        switch item {
        case .refinement(let refinement):
          total += nodes(below: refinement.selection)
        case .field(let field):
          guard let inner = field.selection else { continue }
          let page = page(of: field) ?? 0
          let below = nodes(below: inner)
          total += page + max(page, 1) * below
        }
        total = min(total, Self.enough)
      }
      counts[selection] = total
      return total
    }

    /// How many nodes a connection's page has at most; nil for a field that is no connection.
    private func page(of field: PlanField) -> Int? {
      var isConnection = field.connection != nil
      if case .composite(let type) = field.type.named, type.name.hasSuffix("Connection") {
        isConnection = true
      }
      let sizes = field.arguments.filter { $0.name == "first" || $0.name == "last" }
      guard isConnection || !sizes.isEmpty else { return nil }
      for size in sizes {
        guard case .int(let count)? = size.value.value(under: variables), count >= 0 else {
          continue
        }
        return Int(min(count, Int64(BatchWidth.assumedPage) * 100))
      }
      return BatchWidth.assumedPage
    }
  }
}

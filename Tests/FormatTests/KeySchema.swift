/// The schemas that the cases of keys are written for.
enum KeySchema: String {
  /// Arguments of every kind.
  case arguments = """
    enum State { OPEN CLOSED }
    scalar Any
    input Filter {
      state: State labels: [String!] minimum: Float text: String nested: Filter
    }
    type Query {
      f(a: Int, b: Int): Int
      names(a: Int, aa: Int, b: Int, B: Int, _: Int): Int
      int(x: Int): Int
      float(x: Float): Int
      text(x: String): Int
      id(x: ID): Int
      ids(x: [ID!]): Int
      flag(x: Boolean): Int
      state(x: State): Int
      list(x: [Int]): Int
      nested(x: [[Float]]): Int
      filter(x: Filter): Int
      any(x: Any): Int
      page(
        first: Int = 10, state: State = OPEN, by: [String] = ["a"],
        filter: Filter = {state: OPEN, minimum: 1}
      ): Int
    }
    type Mutation { change(id: ID, text: String): Int }
    """

  /// One object with what may be a key.
  case record = """
    type Query { one: One }
    type One { id: ID a: String b: String n: Int }
    """

  /// Records at places of every kind.
  case places = """
    interface Node { id: ID }
    union Subject = P | Q
    enum State { OPEN CLOSED }
    type Query {
      one(n: Int, s: String): P
      board: [[P]]
      subject: Subject
      subjects: [Subject]
      list(first: Int, after: String, state: State, by: [String]): List
    }
    type Mutation { change(id: ID): Changed }
    type Subscription { changed(n: Int): P }
    type Changed { one: P }
    type P implements Node { id: ID t: String inner: P items(n: Int): [P] }
    type Q { u: String }
    type List { edges: [Edge] pageInfo: PageInfo }
    type Edge { cursor: String node: P }
    type PageInfo { hasNextPage: Boolean hasPreviousPage: Boolean endCursor: String startCursor: String }
    """

  /// Fields that lead to records by their arguments.
  case lookups = """
    interface Node { id: ID! }
    enum State { OPEN CLOSED }
    input Object { a: String b: [Int] }
    type Query {
      node(id: ID!): Node
      nodes(ids: [ID!]!): [Node]
      one(n: Int, s: String): P
    }
    type P implements Node { id: ID! item(f: Float = 0.5, o: Object, state: State): P }
    """
}

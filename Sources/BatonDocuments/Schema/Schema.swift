public import BatonPlan

/// A GraphQL schema, checked, with its client schema extensions merged in.
///
/// Immutable and shared. The query, mutation and subscription types keep their own names for
/// look-ups; plans and the type system call them `Query`, `Mutation` and `Subscription`, as the
/// store does.
public final class Schema: Sendable {
  /// What plans need of the schema at run time; shared by all plans compiled against it.
  public let typeSystem: TypeSystem

  let table: TypeTable
  let directives: [String: SchemaDirective]
  /// `__schema` and `__type`, which the query type has without saying so.
  let introspection: NamedList<SchemaField>
  private let roots: [Plan.Kind: Int]
  private let rootNames: [Int: String]

  /// Reads a schema.
  ///
  /// - Parameter sources: The server's schema first, as one document; whatever the later ones
  ///   define or extend is a client schema extension, whose fields no server answers.
  /// - Throws: Everything that is wrong: of each source the first syntax error, or else all that
  ///   breaks the specification's rules. A field that a client extension adds to an interface is
  ///   not asked of the types that implement it.
  public convenience init(sources: [Source]) throws(DiagnosticsError) {
    var builder = SchemaBuilder(sources: sources)
    try builder.build()
    self.init(builder)
  }

  private init(_ builder: SchemaBuilder) {
    let table = builder.table
    let rootNames = Dictionary(
      builder.roots.map { ($0.value.type, $0.key.rootName) }, uniquingKeysWith: { one, _ in one })
    let name = { (id: Int) in rootNames[id] ?? table[id].name }
    var objects: Set<String> = []
    var possible: [String: Set<String>] = [:]
    for (id, type) in table.types.enumerated() {
      if type.kind == .object { objects.insert(name(id)) }
      if type.kind.isAbstract { possible[type.name] = Set(table.objects[id].map(name)) }
    }
    self.table = table
    directives = builder.directives
    introspection = builder.introspection
    roots = builder.roots.mapValues(\.type)
    self.rootNames = rootNames
    typeSystem = TypeSystem(objectTypes: objects, possibleTypes: possible)
  }

  /// The root type of an operation; nil when the schema has none.
  func root(_ kind: Plan.Kind) -> Int? { roots[kind] }

  /// The type of `__typename`.
  var typename: ResolvedType? {
    table.id(of: "String").map { ResolvedType(id: $0, wrapping: .required) }
  }

  /// The name by which plans and the store know a type.
  func storeName(_ id: Int) -> String { rootNames[id] ?? table[id].name }
}

/// The types of a schema by name and index, and what follows from them.
struct TypeTable: Sendable {
  /// How the objects of two types relate.
  enum Relation {
    /// No object is of both.
    case disjoint
    /// Some object may be of both.
    case overlapping
    /// The schema promises that every object of the first is of the second.
    case contained
  }

  private(set) var types: [SchemaType] = []
  private var index: [String: Int] = [:]
  /// For each type the objects it may be; of an object, itself. Empty until `findObjects`.
  private(set) var objects: [Set<Int>] = []

  subscript(id: Int) -> SchemaType { types[id] }

  func id(of name: String) -> Int? { index[name] }

  var names: some Sequence<String> { index.keys }

  mutating func append(_ type: SchemaType) -> Int {
    index[type.name] = types.count
    types.append(type)
    return types.count - 1
  }

  mutating func update(_ id: Int, _ change: (inout SchemaType) -> Void) {
    change(&types[id])
  }

  /// The type's text.
  func text(of type: ResolvedType) -> String {
    type.wrapping.text(around: types[type.id].name)
  }

  /// Finds the objects of every interface and union.
  mutating func findObjects() {
    objects = Array(repeating: [], count: types.count)
    for (id, type) in types.enumerated() {
      switch type.kind {
      case .object:
        objects[id].insert(id)
        for interface in type.interfaces { objects[interface].insert(id) }
      case .union:
        objects[id].formUnion(type.members)
      default:
        break
      }
    }
  }

  /// How the objects of `one` relate to those of `other`; both are composite.
  func relation(of one: Int, to other: Int) -> Relation {
    if one == other || types[one].interfaces.contains(other) { return .contained }
    if types[one].kind == .object {
      return objects[other].contains(one) ? .contained : .disjoint
    }
    return objects[one].isDisjoint(with: objects[other]) ? .disjoint : .overlapping
  }

  /// Whether a field of type `one` may implement a field of type `other`.
  func isCovariant(_ one: ResolvedType, with other: ResolvedType) -> Bool {
    guard one.wrapping.satisfies(other.wrapping) else { return false }
    if one.id == other.id { return true }
    return types[other.id].kind.isAbstract && types[one.id].kind.isComposite
      && relation(of: one.id, to: other.id) == .contained
  }
}

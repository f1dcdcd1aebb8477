/// The type that a selection is on, as far as anything says.
enum ParentType: Sendable, Hashable {
  /// A composite type of the schema, by its index.
  case type(Int)
  /// Without a schema: an operation's root type.
  case root
  /// Without a schema: the type a fragment's condition names.
  case named(String)
  /// Nothing says, or what says it is wrong and reported.
  case unknown

  /// The type that a fragment's condition names, without any finding.
  init(condition name: String, in schema: Schema?) {
    guard let schema else {
      self = .named(name)
      return
    }
    guard let id = schema.table.id(of: name), schema.table[id].kind.isComposite else {
      self = .unknown
      return
    }
    self = .type(id)
  }
}

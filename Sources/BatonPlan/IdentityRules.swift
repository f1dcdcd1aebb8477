/// How records are told apart, what never reaches the disk, and which root fields look records up.
public struct IdentityRules: Sendable, Equatable {
  /// Whether ids are unique in the whole graph or within their type.
  public enum Scope: String, Sendable {
    case global
    case type
  }

  public var scope: Scope
  /// The key fields of types that `types` doesn't name.
  public var defaultKey: [String]
  /// The key fields by type.
  public var types: [String: [String]]
  /// Types whose records are never written, nor a field that links to one.
  public var transientTypes: Set<String>
  /// Root fields, `Query.search`, that are never written.
  public var transientFields: Set<String>
  /// Root fields that an entity at hand answers.
  public var lookups: [Lookup]

  /// Relay's rule by default: the global `id`. Under the scope `global` the lookups
  /// `Query.node(id)` and `Query.nodes(ids)` are always there.
  public init(
    scope: Scope = .global, defaultKey: [String] = ["id"], types: [String: [String]] = [:],
    transientTypes: Set<String> = [], transientFields: Set<String> = [], lookups: [Lookup] = []
  ) {
    self.scope = scope
    self.defaultKey = defaultKey
    self.types = types
    self.transientTypes = transientTypes
    self.transientFields = transientFields
    self.lookups = lookups
    if scope == .global {
      for standard in [
        Lookup("Query.node", argument: "id"), Lookup("Query.nodes", argument: "ids"),
      ]
      where !lookups.contains(where: { $0.field == standard.field }) {
        self.lookups.append(standard)
      }
    }
  }

  /// The default: the global `id`.
  public static let global = IdentityRules()

  /// The key fields of a type, in the order they are joined.
  public func keyFields(of type: String) -> [String] {
    types[type] ?? defaultKey
  }

  /// The lookup that the root field `Query.name` is, if it is one.
  public func lookup(of name: String) -> Lookup? {
    lookups.first { $0.field.dropFirst("Query.".count) == name && $0.field.hasPrefix("Query.") }
  }

  /// The record key of a type's key values: Docs/Format.md section 8.
  ///
  /// Nil when a value is empty, or the scope is `type` and the type is not known.
  public func key(type: String, values: [String]) -> [UInt8]? {
    guard !values.isEmpty, !values.contains(where: \.isEmpty) else { return nil }
    var key: [UInt8] = []
    if scope == .type {
      guard !type.isEmpty else { return nil }
      key.append(contentsOf: type.utf8)
      key.append(UInt8(ascii: ":"))
    }
    if values.count == 1 {
      key.append(contentsOf: values[0].utf8)
      return key
    }
    for (index, value) in values.enumerated() {
      if index > 0 { key.append(UInt8(ascii: ":")) }
      for byte in value.utf8 {
        if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\\") {
          key.append(UInt8(ascii: "\\"))
        }
        key.append(byte)
      }
    }
    return key
  }

  /// The values that `key(type:values:)` joined; nil for bytes that no join gives.
  public static func values(ofJoined key: some Sequence<UInt8>) -> [String]? {
    var values: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in key {
      if isEscaped {
        values[values.count - 1].append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: ":") {
        values.append([])
      } else {
        values[values.count - 1].append(byte)
      }
    }
    return isEscaped ? nil : values.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The identity as canonical JSON: what an image keeps of it and is opened against. Transient
  /// types leave nothing in it.
  public var canonicalText: String {
    let kept = types.filter { !transientTypes.contains($0.key) }
    return CanonicalJSON.text(
      of: .object([
        .init("scope", .string(scope.rawValue)),
        .init("default", .list(defaultKey.map { .string($0) })),
        .init(
          "types", .object(kept.map { .init($0.key, .list($0.value.map { .string($0) })) })),
      ]))
  }

  /// The lookups as canonical JSON, without those that name something transient.
  public var canonicalLookups: String {
    let kept = lookups.filter {
      !transientFields.contains($0.field) && !transientTypes.contains($0.type ?? "")
    }
    return CanonicalJSON.text(of: .list(kept.map(\.value)))
  }
}

/// A root field whose answer is the record with the key its arguments give.
public struct Lookup: Sendable, Hashable {
  /// `Query.character`.
  public var field: String
  /// The type looked up; nil when the id alone tells (scope `global`).
  public var type: String?
  /// The arguments that hold the key fields' values, in the key's order. A list argument
  /// (`nodes(ids:)`) looks up one record an element.
  public var arguments: [String]

  public init(_ field: String, type: String? = nil, argument: String) {
    self.init(field, type: type, arguments: [argument])
  }

  public init(_ field: String, type: String? = nil, arguments: [String]) {
    self.field = field
    self.type = type
    self.arguments = arguments
  }

  var value: Value {
    .object([
      .init("field", .string(field)), .init("type", type.map { .string($0) } ?? .null),
      .init("arguments", .list(arguments.map { .string($0) })),
    ])
  }
}

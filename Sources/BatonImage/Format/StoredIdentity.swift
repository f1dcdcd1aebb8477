package import BatonPlan

extension Header {
  /// The identity rules and lookups the image was made with.
  ///
  /// Throws `damaged` when the texts are not what an image keeps.
  package func identityRules() throws(ImageError) -> IdentityRules {
    // Most images': known by its text, so that opening one needs no parser.
    if identity == Self.globalIdentity, lookups == Self.globalLookups { return .global }
    guard let identity = Header.value(identity), let lookups = Header.value(lookups)?.elements,
      let scope = identity["scope"]?.text.flatMap(IdentityRules.Scope.init(rawValue:)),
      let defaultKey = identity["default"]?.texts,
      case .object(let members)? = identity["types"]
    else { throw Header.unreadableIdentity }
    var types: [String: [String]] = [:]
    for member in members {
      guard let key = member.value.texts else { throw Header.unreadableIdentity }
      types[member.name] = key
    }
    let kept = lookups.compactMap(Lookup.init(stored:))
    guard kept.count == lookups.count else { throw Header.unreadableIdentity }
    return IdentityRules(scope: scope, defaultKey: defaultKey, types: types, lookups: kept)
  }

  /// What `IdentityRules.global` is kept as.
  package static let globalIdentity = #"{"default":["id"],"scope":"global","types":{}}"#
  package static let globalLookups =
    #"[{"arguments":["id"],"field":"Query.node","type":null},"#
    + #"{"arguments":["ids"],"field":"Query.nodes","type":null}]"#

  private static let unreadableIdentity = ImageError.damaged(
    Damage("header", "its identity can't be read"))

  private static func value(_ text: String) -> Value? {
    let bytes = Array(text.utf8)
    return try? Value(json: bytes.span)
  }
}

extension Lookup {
  /// A lookup as the header keeps it; nil when it is none.
  fileprivate init?(stored: Value) {
    guard let field = stored["field"]?.text, let arguments = stored["arguments"]?.texts else {
      return nil
    }
    switch stored["type"] {
    case nil, .null?: self.init(field, type: nil, arguments: arguments)
    case .string(let type)?: self.init(field, type: type, arguments: arguments)
    default: return nil
    }
  }
}

extension Value {
  fileprivate subscript(name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  fileprivate var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  fileprivate var elements: [Value]? {
    guard case .list(let elements) = self else { return nil }
    return elements
  }

  fileprivate var texts: [String]? {
    guard let elements else { return nil }
    let texts = elements.compactMap(\.text)
    return texts.count == elements.count ? texts : nil
  }
}

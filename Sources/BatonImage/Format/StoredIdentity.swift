package import BatonPlan
import Foundation

extension Header {
  /// The identity rules and lookups the image was made with.
  ///
  /// Throws `damaged` when the texts are not what an image keeps.
  package func identityRules() throws(ImageError) -> IdentityRules {
    guard let kept = decode(StoredIdentity.self, identity),
      let lookups = decode([StoredLookup].self, lookups),
      let scope = IdentityRules.Scope(rawValue: kept.scope)
    else {
      throw .damaged(Damage("header", "its identity can't be read"))
    }
    return IdentityRules(
      scope: scope, defaultKey: kept.default, types: kept.types,
      lookups: lookups.map { Lookup($0.field, type: $0.type, arguments: $0.arguments) })
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}

private struct StoredIdentity: Decodable {
  var scope: String
  var `default`: [String]
  var types: [String: [String]]
}

private struct StoredLookup: Decodable {
  var field: String
  var type: String?
  var arguments: [String]
}

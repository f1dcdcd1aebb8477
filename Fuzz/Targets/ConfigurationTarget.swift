import BatonImage
import BatonPlan

/// Reads the JSON of `--config`; what it makes must survive being kept in a header.
enum ConfigurationTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    let value: Value
    do throws(ImageError) { value = try Value(json: input.span) } catch { return }
    let rules: IdentityRules
    do throws(ConfigurationProblem) { rules = try Configuration.rules(value) } catch {
      guard error.path.hasPrefix("$") else { throw Finding("a problem at \(error.path)") }
      return
    }
    let header = Header(
      pageSize: 4096, schemaDigest: 0, created: 0, imageId: Array(repeating: 0, count: 16),
      identity: rules.canonicalText, lookups: rules.canonicalLookups, account: "")
    let kept: IdentityRules
    do throws(ImageError) {
      kept = try Header(header.encoded().span).identityRules()
    } catch {
      throw Finding("the identity \(rules.canonicalText) doesn't read back: \(error)")
    }
    guard kept.canonicalText == rules.canonicalText else {
      throw Finding("the identity \(rules.canonicalText) reads back as \(kept.canonicalText)")
    }
    guard kept.canonicalLookups == rules.canonicalLookups else {
      throw Finding("the lookups \(rules.canonicalLookups) read back as \(kept.canonicalLookups)")
    }
    for type in rules.types.keys.prefix(8) {
      let values = rules.keyFields(of: type).map { $0 + ":\\" }
      guard let key = rules.key(type: type, values: values) else { continue }
      _ = IdentityRules.values(ofJoined: key)
    }
  }
}

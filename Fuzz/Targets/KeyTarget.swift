import BatonImage
import BatonPlan

/// Parses natural keys and JSON values: what they are written as must read back as the same.
enum KeyTarget {
  static func run(_ input: [UInt8]) throws(Finding) {
    try checkNaturalKey(String(decoding: input, as: UTF8.self))
    try checkValue(input)
    if let values = IdentityRules.values(ofJoined: input), values.count > 1 {
      try checkJoined(values)
    }
  }

  private static func checkNaturalKey(_ text: String) throws(Finding) {
    let key: NaturalKey
    do throws(NaturalKeyProblem) { key = try NaturalKey(parsing: text) } catch {
      guard error.offset >= 0, error.offset <= text.utf8.count else {
        throw Finding("a problem outside the key: \(error)")
      }
      return
    }
    try checkReadsBack(key.text)
  }

  /// A key's canonical text is the canonical text of what it reads as.
  private static func checkReadsBack(_ text: String) throws(Finding) {
    let again: String
    do throws(NaturalKeyProblem) { again = try NaturalKey(parsing: text).text } catch {
      // A document's values may nest deeper than those of a natural key.
      if error.message == "values nest too deep" { return }
      throw Finding("the key \(text) doesn't read back: \(error)")
    }
    guard again.utf8.elementsEqual(text.utf8) else {
      throw Finding("the key \(text) reads back as \(again)")
    }
  }

  private static func checkValue(_ bytes: [UInt8]) throws(Finding) {
    let value: Value
    do throws(ImageError) { value = try Value(json: bytes.span) } catch {
      guard case .response(let problem) = error else { throw Finding("\(error)") }
      guard problem.offset.map({ $0 >= 0 && $0 <= bytes.count }) ?? true else {
        throw Finding("a problem outside the document: \(problem)")
      }
      return
    }
    let text = CanonicalJSON.text(of: value)
    let again: Value
    do throws(ImageError) { again = try Value(json: Array(text.utf8).span) } catch {
      throw Finding("the value \(text) doesn't read back: \(error)")
    }
    let rewritten = CanonicalJSON.text(of: again)
    guard rewritten.utf8.elementsEqual(text.utf8) else {
      throw Finding("the value \(text) reads back as \(rewritten)")
    }
    try checkReadsBack(NaturalKey(steps: [.init("field", [.init("argument", value)])]).text)
  }

  private static func checkJoined(_ values: [String]) throws(Finding) {
    guard let key = IdentityRules.global.key(type: "", values: values) else { return }
    guard IdentityRules.values(ofJoined: key) == values else {
      throw Finding("the key of \(values) doesn't come apart again")
    }
  }
}

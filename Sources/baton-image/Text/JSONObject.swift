import BatonPlan

/// A JSON object that is written member by member, for values that are JSON texts already.
struct JSONObject {
  private var bytes: [UInt8] = [UInt8(ascii: "{")]

  mutating func add(_ name: String, _ value: Value) {
    begin(name)
    CanonicalJSON.append(value, to: &bytes)
  }

  /// Adds a member whose value is a JSON text.
  mutating func add(_ name: String, text: [UInt8]) {
    begin(name)
    bytes.append(contentsOf: text)
  }

  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(contentsOf: ", ".utf8) }
    CanonicalJSON.append(name, to: &bytes)
    bytes.append(contentsOf: ": ".utf8)
  }

  /// The object's text.
  var text: [UInt8] { bytes + [UInt8(ascii: "}")] }
}

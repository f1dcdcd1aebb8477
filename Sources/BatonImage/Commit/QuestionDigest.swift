import BatonPlan

/// A digest of an operation's variables, whatever order they have: by it a question that was asked
/// before is known without keeping its values.
struct QuestionDigest {
  private(set) var value: UInt64

  /// The seed decides which variables share a digest, if any do.
  init(of variables: Variables, seed: UInt64) {
    value = seed
    if variables.count == 1, let (name, value) = variables.first {
      add(name)
      add(value)
    } else {
      for name in variables.keys.sorted() {
        add(name)
        if let value = variables[name] { add(value) }
      }
    }
  }

  /// Each case has a mark of its own, so that no two values are the same bytes.
  private mutating func add(_ value: Value) {
    switch value {
    case .null: add(0, mark: 0)
    case .boolean(let flag): add(flag ? 1 : 0, mark: 1)
    case .int(let number): add(UInt64(bitPattern: number), mark: 2)
    case .float(let number): add(number.bitPattern, mark: 3)
    case .string(let text): add(text)
    case .enumeration(let name):
      add(0, mark: 4)
      add(name)
    case .list(let elements):
      add(UInt64(elements.count), mark: 5)
      for element in elements { add(element) }
    case .object(let members):
      add(UInt64(members.count), mark: 6)
      for member in members {
        add(member.name)
        add(member.value)
      }
    }
  }

  private mutating func add(_ text: String) {
    let bytes = text.utf8
    value = hash(bytes.span, seed: value)
  }

  private mutating func add(_ number: UInt64, mark: UInt8) {
    var bytes: [UInt8] = [mark]
    bytes.append(u64: number)
    value = hash(bytes.span, seed: value)
  }
}

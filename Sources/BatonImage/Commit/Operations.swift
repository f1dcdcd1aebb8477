import BatonPlan

/// The text that tells one execution of an operation from another: Docs/Format.md section 10.
enum OperationText {
  static func bytes(_ binding: PlanBinding) -> [UInt8] {
    bytes(name: binding.plan.name, variables: binding.variables)
  }

  static func bytes(name: String, variables: Variables) -> [UInt8] {
    var text = Array(name.utf8)
    text.append(0)
    CanonicalJSON.append(
      .object(variables.map { Value.Member($0.key, $0.value) }), to: &text)
    return text
  }
}

/// When an operation was last fetched.
package struct Fetch: Sendable, Equatable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// The last commit then.
  package var commit: UInt64
  package var text: [UInt8]

  static let textStart = 16

  init?(_ payload: Span<UInt8>) {
    guard payload.count > Self.textStart else { return nil }
    time = Int64(bitPattern: payload.u64(at: 0))
    commit = payload.u64(at: 8)
    text = payload.extracting(droppingFirst: Self.textStart).copy()
  }
}

extension CommitSession {
  /// Writes the fetch times of operations.
  mutating func keep(fetches: [[UInt8]: Int64]) throws(ImageError) {
    for (text, time) in fetches.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      var payload: [UInt8] = []
      payload.append(u64: UInt64(bitPattern: time))
      payload.append(u64: state.commit)
      payload.append(contentsOf: text)
      let hash = hash(text.span)
      let value = try Entries.replacing(in: try value(.operations, hash), with: payload) { old in
        old.count >= Fetch.textStart
          && old.extracting(droppingFirst: Fetch.textStart).isEqual(to: text.span)
      }
      try put(value, orDelete: .operations, hash)
    }
  }
}

extension RecordSource where Self: ~Copyable {
  /// When the operation with a text was last fetched.
  borrowing func fetch(ofText text: [UInt8]) throws(ImageError) -> Fetch? {
    guard let entries = try value(.operations, hash(text.span)),
      let payload = try Entries.payload(in: entries, text: text.span, at: Fetch.textStart)
    else { return nil }
    return Fetch(payload)
  }
}

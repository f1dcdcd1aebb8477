import BatonPlan

/// The text that tells one execution of an operation from another: Docs/Format.md section 10.
package struct OperationText: Hashable, Sendable {
  package let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(name: String, variables: Variables) {
    var bytes = Array(name.utf8)
    bytes.append(0)
    CanonicalJSON.append(
      .object(variables.map { Value.Member($0.key, $0.value) }), to: &bytes)
    self.bytes = bytes
  }

  /// At once: an array would hash its bytes one by one.
  package func hash(into hasher: inout Hasher) {
    // SAFETY: the hasher reads the bytes during the call and keeps none of them.
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

/// When an operation was last fetched.
package struct Fetch: Sendable, Equatable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// The last commit then.
  package var commit: UInt64
  package var text: OperationText

  static let textStart = 16

  init?(_ payload: Span<UInt8>) {
    guard payload.count > Self.textStart else { return nil }
    time = Int64(bitPattern: payload.u64(at: 0))
    commit = payload.u64(at: 8)
    text = OperationText(payload.extracting(droppingFirst: Self.textStart).copy())
  }
}

extension CommitSession {
  /// Writes the fetch times of operations.
  mutating func keep(fetches: [OperationText: Int64]) throws(ImageError) {
    guard !fetches.isEmpty else { return }
    var texts = FetchTexts()
    for (text, time) in fetches { texts.note(time, of: text) }
    try keep(texts)
  }

  /// The same, in the order of the table `operations`, page by page.
  mutating func keep(_ fetches: borrowing FetchTexts) throws(ImageError) {
    let commit = state.commit
    var entries = Buffer<UInt8>(capacity: 256)
    try fetches.forEach { (hash, text, time) throws(ImageError) in
      entries.removeAll()
      entries.append(u32: 0)
      if let old = try value(.operations, hash) {
        try Entries.append(old, to: &entries) { payload in
          payload.count >= Fetch.textStart
            && payload.extracting(droppingFirst: Fetch.textStart).isEqual(to: text)
        }
      }
      entries.append(u32: UInt32(Fetch.textStart + text.count))
      entries.append(u64: UInt64(bitPattern: time))
      entries.append(u64: commit)
      entries.append(text)
      entries.seal(table: .operations, key: hash)
      try put(sealed: entries.span, .operations, hash)
    }
  }
}

extension RecordSource where Self: ~Copyable {
  /// When the operation with a text was last fetched.
  borrowing func fetch(ofText text: OperationText) throws(ImageError) -> Fetch? {
    guard let entries = try value(.operations, hash(text.bytes.span)),
      let payload = try Entries.payload(in: entries, text: text.bytes.span, at: Fetch.textStart)
    else { return nil }
    return Fetch(payload)
  }
}

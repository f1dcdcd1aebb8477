import BatonPlan

/// What an image was made as: Docs/Format.md section 4.
package struct Header: Sendable, Equatable {
  package var formatVersion = HeaderLayout.currentFormat
  package var keyRulesVersion = HeaderLayout.currentKeyRules
  package var pageSize: UInt32
  package var engineVersion = HeaderLayout.currentEngine
  package var schemaDigest: UInt64
  package var created: Int64
  package var imageId: [UInt8]
  package var identity: String
  package var lookups: String
  package var account: String

  package init(
    pageSize: UInt32, schemaDigest: UInt64, created: Int64, imageId: [UInt8], identity: String,
    lookups: String, account: String
  ) {
    self.pageSize = pageSize
    self.schemaDigest = schemaDigest
    self.created = created
    self.imageId = imageId
    self.identity = identity
    self.lookups = lookups
    self.account = account
  }

  /// Decodes a header's value.
  ///
  /// Throws `foreign` when the magic is another, `incompatible` when a version is, `damaged` when a
  /// text doesn't fit.
  package init(_ value: Span<UInt8>) throws(ImageError) {
    let magic = HeaderLayout.magicBytes
    guard value.count >= HeaderLayout.identity,
      value.extracting(HeaderLayout.magic..<HeaderLayout.formatVersion).isEqual(to: magic.span)
    else { throw .foreign("its header is no image's") }
    formatVersion = value.u16(at: HeaderLayout.formatVersion)
    keyRulesVersion = value.u16(at: HeaderLayout.keyRulesVersion)
    guard formatVersion == HeaderLayout.currentFormat else {
      throw .incompatible("format version \(formatVersion); this is \(HeaderLayout.currentFormat)")
    }
    guard keyRulesVersion == HeaderLayout.currentKeyRules else {
      throw .incompatible(
        "key rules version \(keyRulesVersion); this is \(HeaderLayout.currentKeyRules)")
    }
    pageSize = value.u32(at: HeaderLayout.pageSize)
    engineVersion = value.u32(at: HeaderLayout.engineVersion)
    schemaDigest = value.u64(at: HeaderLayout.schemaDigest)
    created = Int64(bitPattern: value.u64(at: HeaderLayout.created))
    imageId = value.extracting(HeaderLayout.imageId..<HeaderLayout.identity).copy()
    var texts: [String] = []
    var reader = ByteReader(value, at: HeaderLayout.identity)
    for _ in 0..<3 {
      guard let length = reader.part(4), let text = reader.part(Int(length.u32(at: 0))) else {
        throw .damaged(Damage("header", "a text is cut"))
      }
      texts.append(text.text())
    }
    identity = texts[0]
    lookups = texts[1]
    account = texts[2]
  }

  /// The header's value, sealed.
  package func encoded() -> [UInt8] {
    var value: [UInt8] = [0, 0, 0, 0]
    value.append(contentsOf: HeaderLayout.magicBytes)
    value.append(u16: formatVersion)
    value.append(u16: keyRulesVersion)
    value.append(u32: pageSize)
    value.append(u32: engineVersion)
    value.append(u64: schemaDigest)
    value.append(u64: UInt64(bitPattern: created))
    value.append(contentsOf: imageId)
    for text in [identity, lookups, account] {
      value.append(u32: UInt32(text.utf8.count))
      value.append(contentsOf: text.utf8)
    }
    value.seal(table: .meta, key: MetaKey.header)
    return value
  }
}

/// The counters of an image: Docs/Format.md section 4.
package struct ImageCounters: Sendable, Equatable {
  package var commit: UInt64 = 0
  package var time: Int64 = 0
  package var nextRecord: UInt64 = UInt64(RowLayout.firstRecord)
  package var nextName: UInt32 = NameKind.firstFree
  package var generation: UInt32 = 0
  package var oldestJournal: UInt64 = 0

  /// The highest number of a commit, which no honest image comes near.
  package static let maximumCommit: UInt64 = 1 << 62

  package init() {}

  /// Decodes a state's value. Throws `damaged` when it is too short.
  package init(_ value: Span<UInt8>) throws(ImageError) {
    guard value.count >= StateLayout.size else {
      throw .damaged(Damage("state", "it is shorter than a state"))
    }
    commit = value.u64(at: StateLayout.commit)
    time = Int64(bitPattern: value.u64(at: StateLayout.time))
    nextRecord = value.u64(at: StateLayout.nextRecord)
    nextName = value.u32(at: StateLayout.nextName)
    generation = value.u32(at: StateLayout.generation)
    oldestJournal = value.u64(at: StateLayout.oldestJournal)
  }

  /// The state's value, sealed.
  package func encoded() -> [UInt8] {
    var value: [UInt8] = [0, 0, 0, 0]
    value.append(u64: commit)
    value.append(u64: UInt64(bitPattern: time))
    value.append(u64: nextRecord)
    value.append(u32: nextName)
    value.append(u32: generation)
    value.append(u64: oldestJournal)
    value.seal(table: .meta, key: MetaKey.state)
    return value
  }
}

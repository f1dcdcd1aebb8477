import BatonPlan
internal import LMDB

/// Making an image, and telling whether a file is one.
enum ImageMaking {
  /// The tables of an image.
  ///
  /// Throws `foreign` for an LMDB file with anything else in it.
  static func tables(of environment: Environment) throws(ImageError) -> ImageTables {
    do throws(LMDBError) {
      return ImageTables(
        try environment.openTables(ImageTable.allCases.map(\.name), creating: false))
    } catch {
      if error.code == .notFound { throw .foreign("an LMDB file of another kind") }
      throw ImageError(error)
    }
  }

  /// The header of an image.
  static func header(
    of environment: Environment, _ tables: ImageTables
  ) throws(ImageError) -> Header {
    // Without a snapshot, which has more to end than one value is worth.
    let transaction = try engine { () throws(LMDBError) in try environment.read() }
    let found: Span<UInt8>?
    do throws(LMDBError) {
      found = try transaction.value(at: MetaKey.header, in: tables[.meta])
    } catch {
      throw ImageError(error)
    }
    guard let value = found else { throw .foreign("an LMDB file of another kind") }
    try checkSeal(of: value, .meta, MetaKey.header)
    return try Header(value)
  }

  /// Makes a fresh image in a file that nobody else knows of yet: its tables, header, state and
  /// roots, flushed, and its first checkpoint beside the place it will have.
  static func fill(
    _ environment: Environment, _ files: ImageFiles, _ options: Image.Options
  ) throws(ImageError) {
    let (tables, pageSize) = try engine { () throws(LMDBError) in
      let names = ImageTable.allCases.map(\.name)
      return (
        ImageTables(try environment.openTables(names, creating: true)),
        try environment.statistics().pageSize
      )
    }
    let identity = options.identity ?? .global
    let header = Header(
      pageSize: UInt32(pageSize), schemaDigest: options.schemaDigest, created: WallClock.now,
      imageId: randomId(), identity: identity.canonicalText, lookups: identity.canonicalLookups,
      account: options.account)
    do throws(LMDBError) {
      try write(header, environment, tables)
      try checkpoint(environment, header, files, options)
    } catch {
      throw ImageError(error)
    }
  }

  /// The types of the roots, whose numbers are 1 to 3.
  static let roots = ["Query", "Mutation", "Subscription"]

  static func randomId() -> [UInt8] {
    var id: [UInt8] = []
    for _ in 0..<2 { id.append(u64: .random(in: .min ... .max)) }
    return id
  }

  private static func write(
    _ header: Header, _ environment: Environment, _ tables: ImageTables
  ) throws(LMDBError) {
    var transaction = try environment.write()
    try transaction.put(header.encoded().span, at: MetaKey.header, in: tables[.meta])
    try transaction.put(ImageCounters().encoded().span, at: MetaKey.state, in: tables[.meta])
    try writeRoots(&transaction, tables)
    try transaction.commit()
  }

  /// Writes the three roots' rows and names.
  static func writeRoots(
    _ transaction: inout WriteTransaction, _ tables: ImageTables
  ) throws(LMDBError) {
    for (index, name) in roots.enumerated() {
      try writeRoot(UInt32(index + 1), name, &transaction, tables)
    }
  }

  /// The first checkpoint, in place of one that an image of the same name may have left.
  static func checkpoint(
    _ environment: Environment, _ header: Header, _ files: ImageFiles, _ options: Image.Options
  ) throws(LMDBError) {
    try environment.synchronize()
    let transaction = try environment.statistics().lastTransaction
    let meta = try environment.readFile(
      at: transaction % 2 * Int(header.pageSize), count: MetaLayout.size)
    let record = CheckpointRecord(
      sequence: 1, pageSize: Int(header.pageSize), imageId: header.imageId,
      boot: options.internals.boot ?? BootSession.current ?? CheckpointRecord.noBoot,
      stamp: try environment.stamp(), meta: Array(meta[MetaLayout.state]))
    _ = try CheckpointFile.make(of: files.image, record, replacing: true)
  }

  /// Writes a root's row and its type's name, which share a number.
  static func writeRoot(
    _ number: UInt32, _ name: String, _ transaction: inout WriteTransaction,
    _ tables: ImageTables
  ) throws(LMDBError) {
    let key = UInt64(number)
    let row = RowDraft(type: number, commit: 0, flags: [.pathKey], key: [])
    try transaction.put(row.encoded(number: number).span, at: key, in: tables[.records])
    var text: [UInt8] = [0, 0, 0, 0, NameKind.type.rawValue]
    text.append(contentsOf: name.utf8)
    let hash = hash(text.span.extracting(4...))
    text.seal(table: .names, key: key)
    try transaction.put(text.span, at: key, in: tables[.names])
    var numbers = NumberList.encode([number])
    numbers.seal(table: .nameids, key: hash)
    try transaction.put(numbers.span, at: hash, in: tables[.nameids])
  }

  /// Why another account's image is refused.
  static let otherAccount = "the image is another account's"

  /// What is said of an image of another identity begins so.
  static let otherIdentity = "the image was made with the identity"

  /// Why an image is not the one that is asked for; nil when it is.
  static func mismatch(_ header: Header, _ options: Image.Options) -> ImageError? {
    if !options.account.isEmpty, options.account != header.account {
      return .incompatible(otherAccount)
    }
    if let identity = options.identity, identity.canonicalText != header.identity {
      return .incompatible(
        "\(otherIdentity) \(header.identity), not \(identity.canonicalText)")
    }
    return nil
  }
}

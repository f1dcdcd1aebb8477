import BatonPlan
internal import LMDB

/// Making an image, and telling whether a file is one.
enum ImageMaking {
  /// Opens the engine's environment over an image, or over a file that is to be one.
  ///
  /// A file that is there already is looked at first, as the engine would make its lock file beside
  /// anything it opens: what is refused here was not touched. Throws `foreign`, `incompatible`,
  /// `damaged`, and what the engine throws.
  static func environment(
    at path: String, _ engineOptions: Environment.Options, _ options: Image.Options
  ) throws(ImageError) -> Environment {
    var refusal: ImageError?
    do throws(LMDBError) {
      return try Environment.open(path: path, options: engineOptions) { file in
        refusal = Self.refusal(of: file, options)
        return refusal == nil
      }
    } catch {
      if error.code == .refused, let refusal { throw refusal }
      throw ImageError(error)
    }
  }

  /// Why a file is not opened; nil when it is an image of these options, or one in the making.
  private static func refusal(
    of closed: borrowing ClosedFile, _ options: Image.Options
  ) -> ImageError? {
    do throws(ImageError) {
      let file = try PageFile(borrowing: closed.descriptor)
      if let fault = file.metaFaults.first { return .damaged(fault) }
      return try file.reading { (snapshot) throws(ImageError) in
        if let value = try snapshot.value(.meta, MetaKey.header) {
          return mismatch(try Header(value), options)
        }
        let meta = snapshot.meta
        let isNew = meta.transaction == 0 && meta.main.root == TreeLayout.noPage
        let isEmpty = if isNew { true } else { try hasEmptyTables(file, meta) }
        guard isEmpty else {
          return .foreign("an LMDB file of another kind")
        }
        let isMade = options.creates && !options.isReadOnly
        return isMade ? nil : .notFound("the file holds no image yet")
      }
    } catch {
      return error
    }
  }

  /// Whether a state has the tables of an image, and nothing in those that the making fills.
  private static func hasEmptyTables(
    _ file: PageFile, _ meta: EngineMeta
  ) throws(ImageError) -> Bool {
    for table in ImageTable.allCases {
      guard let tree = try file.tree(of: table, in: meta), tree.entries == 0 else { return false }
    }
    return true
  }

  /// The tables of an image, made when the file is new.
  ///
  /// Throws `foreign` for an LMDB file with anything else in it.
  static func tables(
    of environment: Environment, _ options: Image.Options
  ) throws(ImageError) -> ImageTables {
    let names = ImageTable.allCases.map(\.name)
    if let handles = try existing(names, in: environment) { return ImageTables(handles) }
    let isNew = try engine { () throws(LMDBError) in
      try environment.statistics().lastTransaction == 0
    }
    guard isNew else { throw .foreign("an LMDB file of another kind") }
    guard options.creates, !options.isReadOnly else { throw .notFound("the file is empty") }
    return ImageTables(
      try engine { () throws(LMDBError) in try environment.openTables(names, creating: true) })
  }

  private static func existing(
    _ names: [String], in environment: Environment
  ) throws(ImageError) -> [Table]? {
    do throws(LMDBError) {
      return try environment.openTables(names, creating: false)
    } catch {
      if error.code == .notFound { return nil }
      throw ImageError(error)
    }
  }

  /// The header of an image; written, with the state and the roots, when there is none.
  static func header(
    of environment: Environment, _ tables: ImageTables, _ options: Image.Options
  ) throws(ImageError) -> Header {
    if let header = try existingHeader(environment, tables) { return header }
    guard !options.isReadOnly else { throw .notFound("the image has no header") }
    let pageSize = try engine { () throws(LMDBError) in
      try environment.statistics().pageSize
    }
    let identity = options.identity ?? .global
    let header = Header(
      pageSize: UInt32(pageSize), schemaDigest: options.schemaDigest, created: WallClock.now,
      imageId: randomId(), identity: identity.canonicalText, lookups: identity.canonicalLookups,
      account: options.account)
    try write(header, environment, tables)
    // Another process may have made the image between the look and the writing.
    return try existingHeader(environment, tables) ?? header
  }

  private static func existingHeader(
    _ environment: Environment, _ tables: ImageTables
  ) throws(ImageError) -> Header? {
    let snapshot = Snapshot(
      try engine { () throws(LMDBError) in try environment.read() }, tables: tables,
      identity: .global)
    guard let value = try snapshot.value(.meta, MetaKey.header) else { return nil }
    return try Header(value)
  }

  private static func randomId() -> [UInt8] {
    var id: [UInt8] = []
    for _ in 0..<2 { id.append(u64: .random(in: .min ... .max)) }
    return id
  }

  /// Writes what a fresh image holds, unless another process did.
  private static func write(
    _ header: Header, _ environment: Environment, _ tables: ImageTables
  ) throws(ImageError) {
    var transaction = try engine { () throws(LMDBError) in try environment.write() }
    let isMade = try engine { () throws(LMDBError) in
      try transaction.value(at: MetaKey.header, in: tables[.meta]) != nil
    }
    if isMade { return }
    do throws(LMDBError) {
      try transaction.put(header.encoded().span, at: MetaKey.header, in: tables[.meta])
      try transaction.put(ImageCounters().encoded().span, at: MetaKey.state, in: tables[.meta])
      try writeRoots(&transaction, tables)
      try transaction.commit()
    } catch {
      throw ImageError(error)
    }
  }

  /// Writes the three roots' rows and names.
  static func writeRoots(
    _ transaction: inout WriteTransaction, _ tables: ImageTables
  ) throws(LMDBError) {
    for (index, name) in ["Query", "Mutation", "Subscription"].enumerated() {
      try writeRoot(UInt32(index + 1), name, &transaction, tables)
    }
  }

  /// Writes a root's row and its type's name, which share a number.
  private static func writeRoot(
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

  /// Why an image is not the one that is asked for; nil when it is.
  static func mismatch(_ header: Header, _ options: Image.Options) -> ImageError? {
    if let identity = options.identity, identity.canonicalText != header.identity {
      return .incompatible(
        "the image was made with the identity \(header.identity), not \(identity.canonicalText)")
    }
    if !options.account.isEmpty, options.account != header.account {
      return .incompatible("the image is another account's")
    }
    return nil
  }
}

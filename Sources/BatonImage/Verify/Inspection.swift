/// One verification under way: the file, what was met, and what is known of the image so far.
final class Inspection {
  let file: PageFile
  let meta: EngineMeta
  let log = FaultLog()
  var pages: PageUse
  /// The tables the main tree lists.
  var tables: [ImageTable: TreeRecord] = [:]
  /// Whether the main tree's own pages were all right.
  var mainIsWhole = false
  /// The tables whose pages, checksums and values were all right.
  var whole: Set<ImageTable> = []
  /// The image's state; nil where it can't be read.
  var state: ImageCounters?
  var names = NumberTable()
  var records = NumberTable()
  var links = CrossReferences()
  var report = VerificationReport()
  var json: JSONCheck

  /// Throws `engine` when there is no memory for the index of JSON texts.
  convenience init(_ file: PageFile) throws(ImageError) {
    try self.init(file, meta: file.newest)
  }

  init(_ file: PageFile, meta: EngineMeta) throws(ImageError) {
    json = try JSONCheck()
    self.file = file
    self.meta = meta
    pages = PageUse(
      lastPage: meta.lastPage, filePages: file.length / UInt64(file.pageSize))
  }

  /// Writes down a fault of a page.
  func fault(_ page: UInt64, in structure: String, _ message: String) {
    log.fault("\(structure): page \(page)", at: file.place(of: page), message)
  }

  /// Runs `check` on each entry of a table whose pages and checksum are right, in order of keys.
  ///
  /// The table counts as whole when nothing at all was written down meanwhile.
  func forEach(_ table: ImageTable, _ check: (_ key: UInt64, _ value: StoredValue) -> Void) {
    let before = log.count
    guard let tree = tables[table] else {
      if mainIsWhole { whole.insert(table) }
      return
    }
    var walk = TreeWalk<UInt64>("table \(table.name)", tree, in: self)
    while let (key, step) = walk.next() {
      guard let value = walk.value(at: step) else { continue }
      if isSealed(value.span, table: table, key: key) {
        check(key, value)
      } else {
        log.fault("\(table.name) \(key)", at: value.offset, "the checksum is wrong")
      }
    }
    if walk.isWhole, log.count == before { whole.insert(table) }
  }

  /// Whether a record's number is one that was given.
  func isGiven(_ record: UInt64) -> Bool {
    record >= 1 && record < (state?.nextRecord ?? 1 << 32) && record < 1 << 32
  }

  func isPast(_ commit: UInt64) -> Bool {
    state.map { commit <= $0.commit } ?? true
  }

  /// Whether a number is a name of the kind; true where the names can't be told.
  func isName(_ number: UInt32, _ kind: NameKind) -> Bool {
    guard whole.contains(.names) else { return true }
    guard let flags = names[number] else { return false }
    return flags == .kind(kind)
  }
}

/// What a response says of records: the fields to write, grouped by record, as encoded cells.
///
/// Cells and keys lie one after another in `bytes`. All rooms are kept from one commit to the next.
struct ChangeSet: ~Copyable {
  /// A record the response named.
  struct Touched: BitwiseCopyable {
    var number: UInt32
    /// The name number of its type; 0 when the response didn't say.
    var type: UInt32
    /// Whether the response named it first.
    var isNew: Bool
    var isPath: Bool
    var hash: UInt64
    /// Its writes.
    fileprivate(set) var chain = WriteChain()
    private let keyStart: Int
    private let keyCount: Int

    init(
      number: UInt32, isNew: Bool, isPath: Bool, type: UInt32, hash: UInt64, key: Range<Int>
    ) {
      self.number = number
      self.isNew = isNew
      self.isPath = isPath
      self.type = type
      self.hash = hash
      keyStart = key.lowerBound
      keyCount = key.count
    }

    /// Where its key lies in `bytes`.
    var key: Range<Int> { keyStart..<keyStart + keyCount }
  }

  /// The writes to one record, each of which says which comes next; -1 where there is none.
  struct WriteChain: BitwiseCopyable {
    fileprivate(set) var first: Int32 = -1
    fileprivate var last: Int32 = -1
  }

  /// A field to write.
  struct Write: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
      /// The bytes are a cell.
      case value
      /// The field is null under an error: the bytes are an errors block, the last good value
      /// stays.
      case coveredNull
    }

    private let start: Int
    /// At most what a response has: below 2^31.
    private let byteCount: UInt32
    let field: UInt32
    /// The next write to the same record; -1 behind the last.
    fileprivate(set) var next: Int32
    let kind: Kind

    fileprivate init(_ kind: Kind, field: UInt32, bytes: Range<Int>) {
      start = bytes.lowerBound
      byteCount = UInt32(bytes.count)
      self.field = field
      self.kind = kind
      next = -1
    }

    /// Where the cell or the errors lie in `bytes`.
    @inline(__always)
    var bytes: Range<Int> { start..<start &+ count }

    /// How many bytes it has.
    @inline(__always)
    var count: Int { Int(byteCount) }
  }

  /// What was read into a record last.
  struct Reading: BitwiseCopyable {
    /// The shape it was read by; nil when that may not be left out where it comes again.
    var shape: ObjectIdentifier?
    /// The group of selections the shape is of.
    var group = -1
    var text = JSONReader.Passed()
  }

  private(set) var touched = Buffer<Touched>(capacity: 256)
  /// For each touched record what was read into it last.
  var readings = Buffer<Reading>(capacity: 256)
  /// Where the objects lie that may come again word for word.
  private var repeats = RepeatTable()
  private(set) var writes = Buffer<Write>(capacity: 1024)
  var bytes = Buffer<UInt8>(capacity: 4096)
  /// Indexes into `touched` by hash, open addressing; -1 for an empty slot. A power of two.
  private var table = Buffer<Int32>(capacity: 512)

  /// The most room kept for the next commit, in bytes and in elements.
  private static let retainedBytes = 4 << 20
  private static let retainedCount = 1 << 16

  /// Forgets everything but the room it took.
  mutating func removeAll() {
    if table.count > Self.retainedCount * 2 {
      table.removeAll()
    } else if !touched.isEmpty {
      let size = table.count
      table.removeAll()
      table.append(repeating: -1, count: size)
    }
    touched.removeAll()
    readings.removeAll()
    repeats.removeAll()
    writes.removeAll()
    bytes.removeAll()
    touched.shrink(to: Self.retainedCount)
    readings.shrink(to: Self.retainedCount)
    writes.shrink(to: Self.retainedCount)
    bytes.shrink(to: Self.retainedBytes)
    table.shrink(to: Self.retainedCount * 2)
  }

  /// The record touched under a key whose hash, kind included, is `hash`; the key lies in `bytes`.
  func index(hash: UInt64, key: Range<Int>, isPath: Bool) -> Int? {
    guard table.count > 0 else { return nil }
    let mask = table.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let index = Int(table[slot])
      if index < 0 { return nil }
      let candidate = touched[index]
      if candidate.hash == hash, candidate.isPath == isPath,
        bytes.span(candidate.key).isEqual(to: bytes.span(key))
      {
        return index
      }
      slot = (slot &+ 1) & mask
    }
  }

  /// Passes the object the reader stands before where its text is what was last read into a record,
  /// and by the same group of selections: which record that is. `digest` is that of its beginning.
  @inline(__always)
  @_lifetime(reader: copy reader)
  func pass(repeated digest: UInt64, of group: Int, _ reader: inout JSONReader) -> Int? {
    guard let index = repeats[digest], readings[index].group == group,
      reader.pass(again: readings[index].text)
    else { return nil }
    return index
  }

  /// Notes what was read into a record, by an object whose text may come again.
  mutating func note(_ reading: Reading, of index: Int, digest: UInt64) {
    readings[index] = reading
    if digest != 0 { repeats.note(index, at: digest) }
  }

  /// Where the records lie in `touched`, in order of their numbers.
  borrowing func inOrder() -> [Place] {
    var order: [Place] = []
    order.reserveCapacity(touched.count)
    var last: UInt32 = 0
    var isSorted = true
    for index in 0..<touched.count {
      let number = touched[index].number
      if number < last { isSorted = false }
      last = number
      order.append(Place(number: number, index: index))
    }
    if !isSorted { order.sort { $0.word < $1.word } }
    return order
  }

  /// Where a record lies in `touched`, in one word: of two entries of one record the earlier is the
  /// lower.
  struct Place: BitwiseCopyable {
    fileprivate let word: UInt64

    fileprivate init(number: UInt32, index: Int) {
      word = UInt64(number) << 32 | UInt64(UInt32(truncatingIfNeeded: index))
    }

    var number: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }
    var index: Int { Int(UInt32(truncatingIfNeeded: word)) }
  }

  /// The record touched with a number, by search.
  func index(number: UInt32) -> Int? {
    for index in 0..<touched.count where touched[index].number == number { return index }
    return nil
  }

  mutating func append(_ record: Touched) -> Int {
    if (touched.count + 1) * 2 > table.count { growTable() }
    touched.append(record)
    readings.append(Reading())
    insert(touched.count - 1)
    return touched.count - 1
  }

  private mutating func growTable() {
    let size = max(256, table.count * 2)
    table.removeAll()
    table.append(repeating: -1, count: size)
    for index in 0..<touched.count { insert(index) }
  }

  private mutating func insert(_ index: Int) {
    let mask = table.count - 1
    var slot = Int(truncatingIfNeeded: touched[index].hash) & mask
    while table[slot] >= 0 { slot = (slot + 1) & mask }
    table[slot] = Int32(index)
  }

  @inline(__always)
  mutating func setType(_ type: UInt32, of index: Int) {
    touched.update(index) { $0.type = type }
  }

  /// Adds a write of the bytes from `start` to the end of `bytes`.
  @inline(__always)
  mutating func write(
    _ kind: Write.Kind = .value, field: UInt32, from start: Int, to index: Int
  ) {
    var chain = touched[index].chain
    write(kind, field: field, from: start, to: &chain)
    setChain(chain, of: index)
  }

  /// The same, of a record whose chain the caller holds and gives back with `setChain`.
  @inline(__always)
  mutating func write(
    _ kind: Write.Kind = .value, field: UInt32, from start: Int, to chain: inout WriteChain
  ) {
    let place = Int32(truncatingIfNeeded: writes.count)
    writes.append(Write(kind, field: field, bytes: start..<bytes.count))
    if chain.last >= 0 {
      writes.update(Int(chain.last)) { $0.next = place }
    } else {
      chain.first = place
    }
    chain.last = place
  }

  @inline(__always)
  mutating func setChain(_ chain: WriteChain, of index: Int) {
    touched.update(index) { $0.chain = chain }
  }
}

/// What a snapshot notes of the reads it serves: which records were used, and, for an observer, what
/// the reads touched.
///
/// It belongs to one thread at a time, as its snapshot does, and hands over when the snapshot ends.
struct SnapshotReader: ~Copyable {
  private let launch: Launch?
  private let uses: UseStamps?
  private let readers: SlowReaders?
  private let number: UInt64
  /// The note of the image's opening, held by its first snapshot and dropped as that ends.
  private let mark: OpeningMark?
  private var used: [UInt32] = []

  /// How many uses are gathered before they are handed over.
  private static let batch = 256

  /// Notes nothing.
  init() { self.init(nil, owner: nil, stamps: false) }

  /// - Parameters:
  ///   - life: nil where nothing is to be noted.
  ///   - stamps: whether uses count: not where nothing of the file is written.
  init(_ life: ImageLife?, owner: StaticString?, stamps: Bool, mark: OpeningMark? = nil) {
    self.mark = mark
    launch = life?.launch
    uses = stamps ? life?.launch.uses : nil
    readers = life?.readers
    number = readers?.begin(owner) ?? 0
  }

  deinit {
    if !used.isEmpty { uses?.note(used) }
    readers?.end(number)
  }

  /// A fetch time that no transaction took to the disk yet.
  func pendingFetchTime(of text: OperationText) -> Int64? { launch?.fetchTime(of: text) }

  func pendingFetchTime(of operation: OperationText, record: UInt32) -> Int64? {
    launch?.fetchTime(of: operation, record: record)
  }

  /// Notes that a record was read.
  @inline(__always)
  mutating func noteUse(of record: UInt32) {
    guard let uses, used.last != record else { return }
    used.append(record)
    if used.count >= Self.batch {
      uses.note(used)
      used.removeAll(keepingCapacity: true)
    }
  }
}

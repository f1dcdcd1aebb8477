public import BatonPlan
public import Foundation
internal import LMDB
internal import Synchronization

/// An on-disk image of a GraphQL store: records by id, shared between processes, read in place.
///
/// An `Image` is cheap to share between threads and tasks. Reads run beside each other and beside
/// one writer, in this process and others; writers take turns. One process opens a file once: a
/// second `open` of it gives the same environment.
///
/// `close()` ends an image at a known moment and writes what was gathered in memory. One that is
/// released without it ends with its last handle, snapshot, feed and observer: what was committed
/// stays, fetch times and uses of records since the last commit are forgotten.
public final class Image: Sendable {
  let environment: Environment
  let tables: ImageTables
  /// What the image was made as.
  package let header: Header
  /// The identity the image is read and written by.
  public let identity: IdentityRules
  let options: Options
  let writer: Writer
  /// What opening found and did.
  public let opening: OpeningReport
  /// Nil for an image that is only read.
  let checkpointer: Checkpointer?
  /// The note of this process's opening, until the first read has ended.
  private let mark: Mutex<OpeningMark?>
  let life: ImageLife
  private let lenses = LensCache()
  private let found = FoundRecords()

  /// How an image is opened.
  public struct Options: Sendable {
    /// The identity rules; nil takes those the image was made with, or Relay's for a new one.
    public var identity: IdentityRules?
    /// The application's schema digest, kept in a new image; 0 for none.
    public var schemaDigest: UInt64
    /// The account whose data the image holds; another account's image is refused.
    public var account: String
    /// Whether a missing image is made.
    public var creates: Bool
    /// Whether the image is opened for reading alone: nothing of the file is written.
    public var isReadOnly: Bool
    /// What a returned commit survives.
    public var durability: Durability
    /// How many commits the journal keeps.
    public var journalLimit: Int
    /// How much of the file is checked first.
    public var trust = Trust.automatic
    /// What becomes of a damaged image.
    public var onDamage = DamagePolicy.discard
    /// What becomes of an image of another format or identity.
    public var onIncompatible = IncompatiblePolicy.refuse
    /// Whether an image may lie on a file system of another machine, where locks and flushes may not
    /// do what they say.
    public var allowsRemoteVolumes = false
    /// The time from a commit to the checkpoint that follows it: what a power cut can cost.
    public var checkpointInterval = Duration.seconds(1)
    /// How long a writer of another process is waited for; nil for as long as it takes.
    public var writerWait: Duration? = .seconds(10)
    /// What tests set.
    package var internals = ImageInternals()
    /// The size in bytes the file is held under, as far as one commit allows: the records that were
    /// used least recently give their fields up first. Nil for no limit.
    public var sizeLimit: Int?
    /// Whether a record that was not used in the whole launch before may give its fields up.
    public var evictsUnused: Bool
    /// How long a snapshot may be held before an event names its owner.
    public var snapshotLimit: Duration
    /// Told what happens to the image, on the thread where it happens; never a value or a key.
    public var events: (@Sendable (ImageEvent) -> Void)?

    public init(
      identity: IdentityRules? = nil, schemaDigest: UInt64 = 0, account: String = "",
      creates: Bool = true, isReadOnly: Bool = false, durability: Durability = .checkpointed,
      journalLimit: Int = 4096, sizeLimit: Int? = nil, evictsUnused: Bool = false,
      snapshotLimit: Duration = .seconds(10), events: (@Sendable (ImageEvent) -> Void)? = nil
    ) {
      self.identity = identity
      self.schemaDigest = schemaDigest
      self.account = account
      self.creates = creates
      self.isReadOnly = isReadOnly
      self.durability = durability
      self.journalLimit = max(1, journalLimit)
      self.sizeLimit = sizeLimit
      self.evictsUnused = evictsUnused
      self.snapshotLimit = snapshotLimit
      self.events = events
    }
  }

  /// What a returned commit survives: Docs/Durability.md.
  public enum Durability: Sendable {
    /// The process's death at once, the machine's after the next checkpoint.
    case checkpointed
    /// The machine's death at once.
    case durable
  }

  /// Opens the image at a path, or makes it.
  ///
  /// Throws `notFound` when there is none and none is to be made, `foreign` when the file is
  /// something else, `incompatible` when it is an image of another format, identity or account,
  /// `damaged` when its header or state can't be read. A file that is refused is left as it is.
  public static func open(at url: URL, options: Options = Options()) throws(ImageError) -> Image {
    try open(path: url.path(percentEncoded: false), options: options)
  }

  /// Opens the image at a path of the file system.
  public static func open(
    path: String, options: Options = Options()
  ) throws(ImageError) -> Image {
    try Image(path: path, options: options)
  }

  private init(path: String, options: Options) throws(ImageError) {
    let opened = try ImageOpening(path: path, options: options).open()
    environment = opened.environment
    tables = opened.tables
    header = opened.header
    opening = opened.report
    checkpointer = opened.checkpointer
    mark = Mutex(opened.mark)
    do throws(ImageError) {
      identity =
        if let identity = options.identity { identity } else { try header.identityRules() }
    } catch {
      try? environment.close()
      throw error
    }
    self.options = options
    writer = Writer()
    life = ImageLife(environment, path: path, options)
    tellOpening()
  }

  deinit { checkpointer?.letGo() }

  /// Drops the note of an opening that may crash: the file has been read, or written.
  func endOpening() { mark.withLock { $0 = nil } }

  /// The note of the opening, for the first snapshot to hold.
  private func takeMark() -> OpeningMark? {
    mark.withLock { mark in
      defer { mark = nil }
      return mark
    }
  }

  /// One consistent state of the image, for reading in place.
  ///
  /// - Parameter owner: a name for the event that tells of a snapshot held too long.
  public func snapshot(owner: StaticString? = nil) throws(ImageError) -> Snapshot {
    try snapshot(owner: owner, tracing: nil)
  }

  /// A snapshot that notes what its reads touch.
  func snapshot(
    owner: StaticString? = nil, tracing trace: ReadTrace?
  ) throws(ImageError) -> Snapshot {
    let transaction: ReadTransaction
    do throws(LMDBError) { transaction = try environment.read() } catch {
      throw ImageError(error)
    }
    return Snapshot(
      transaction, tables: tables, identity: identity, lenses: lenses, found: found,
      reader: SnapshotReader(
        life, owner: owner, stamps: !options.isReadOnly, mark: takeMark()),
      trace: trace)
  }
}

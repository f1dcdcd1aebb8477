public import BatonPlan
public import Foundation
internal import LMDB
internal import Synchronization

/// An on-disk image of a GraphQL store: records by id, shared between processes, read in place.
///
/// An `Image` is cheap to share between threads and tasks. Reads run beside each other and beside
/// one writer, in this process and others; writers take turns. One process opens a file once: a
/// second `open` of it gives the same environment.
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
  private let lenses = LensCache()

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

    public init(
      identity: IdentityRules? = nil, schemaDigest: UInt64 = 0, account: String = "",
      creates: Bool = true, isReadOnly: Bool = false, durability: Durability = .checkpointed,
      journalLimit: Int = 4096
    ) {
      self.identity = identity
      self.schemaDigest = schemaDigest
      self.account = account
      self.creates = creates
      self.isReadOnly = isReadOnly
      self.durability = durability
      self.journalLimit = max(1, journalLimit)
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
  }

  /// Ends the image: running reads and writes finish, later calls throw `closed`.
  ///
  /// What was gathered in memory (fetch times) is written first, and a last checkpoint made: what was
  /// committed survives the machine's death from then on.
  public func close() throws(ImageError) {
    endOpening()
    if !options.isReadOnly { try flush() }
    try checkpointer?.close()
    do throws(LMDBError) { try environment.close() } catch { throw ImageError(error) }
  }

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
  public func snapshot() throws(ImageError) -> Snapshot {
    let transaction: ReadTransaction
    do throws(LMDBError) { transaction = try environment.read() } catch {
      throw ImageError(error)
    }
    return Snapshot(
      transaction, tables: tables, identity: identity, lenses: lenses, mark: takeMark())
  }
}

import BatonPlan
internal import LMDB

/// The look at a file before the engine maps it, and what is done about what it finds.
///
/// A ladder: a file that is as it was left costs a few short reads; one that somebody else wrote to,
/// that outlived the machine, or that nobody vouches for is checked, gone back to its checkpoint,
/// repaired or set aside. Docs/Durability.md has the rungs.
final class Examination {
  /// What is to be done with the file now.
  enum Verdict {
    case open
    case refuse(ImageError)
    /// It was set aside or replaced: look again.
    case lookAgain
    /// Another process stands in the way for a moment.
    case wait
  }

  /// What is damaged where nothing can be found but that opening it ends processes.
  static let crashLoop = "crash loop"

  let files: ImageFiles
  let options: Image.Options
  let boot: [UInt8]?
  var report = OpeningReport(.opened)
  private(set) var mark: OpeningMark?
  private(set) var checkpoints: CheckpointFile?
  /// The image's header, where the checkpoint file has a copy of it.
  private(set) var header: Header?
  private var slots = CheckpointSlots([UInt8]().span)
  private var deaths = OpeningMark.Deaths()
  /// How often the file was looked at: `busy` is followed by another look, after a moment.
  private var looks = 0

  /// How often a file that looks touched is looked at, before it is taken for touched. A writer's
  /// pages reach the file before the state that has them, which follows in a moment.
  private static let looksAtTouched = 4

  init(_ files: ImageFiles, _ options: Image.Options) {
    self.files = files
    self.options = options
    boot = options.internals.boot ?? BootSession.current
  }

  /// Goes up the ladder.
  ///
  /// Throws `busy` where writers of other processes have to be waited for: the file is to be examined
  /// again a little later.
  func examine(_ file: borrowing ClosedFile) throws(ImageError) -> Verdict {
    looks += 1
    try checkVolume(options.internals.fileSystem ?? FileSystemKind.number(of: file.descriptor))
    try readCheckpoints()
    let isTrusted = options.trust != .untrusted && deaths.places.isEmpty
    let isAsLeft = isTrusted ? try isAsLeft(file) : false
    // What the copy says is only taken of a file that is as it was left.
    if !isAsLeft { header = nil }
    let verdict = isAsLeft ? .open : try climb(file, isAlone: false)
    if case .open = verdict, let checkpoints, let boot {
      mark = OpeningMark(in: checkpoints, of: files.image, boot: boot, after: deaths)
    }
    return verdict
  }

  /// Throws for a file system of another machine, unless the options allow it.
  func checkVolume(_ kind: Int?) throws(ImageError) {
    guard let kind, FileSystemKind.isRemote(kind), !options.allowsRemoteVolumes else { return }
    throw .unavailable(
      "\(files.image) is on a file system of another machine (kind 0x\(String(kind, radix: 16)))")
  }

  private func readCheckpoints() throws(ImageError) {
    (checkpoints, slots, deaths) = (nil, CheckpointSlots([UInt8]().span), OpeningMark.Deaths())
    header = nil
    do throws(LMDBError) {
      do throws(LMDBError) {
        checkpoints = try CheckpointFile.open(of: files.image, writing: true)
      } catch {
        guard [.permissionDenied, .readOnlyFileSystem].contains(error.code) else { throw error }
        checkpoints = try CheckpointFile.open(of: files.image, writing: false)
      }
      guard let checkpoints else { return }
      let bytes = try checkpoints.bytes()
      slots = CheckpointSlots(bytes.span)
      header = slots.newest.flatMap { HeaderCopy.header(in: bytes, of: $0) }
      if let boot { deaths = OpeningMark.deaths(in: bytes, boot: boot) }
    } catch {
      throw ImageError(error)
    }
  }

  /// Whether the file is as the last record left it, by its times and its meta pages.
  private func isAsLeft(_ file: borrowing ClosedFile) throws(ImageError) -> Bool {
    guard let record = slots.newest, !record.isSuspect,
      try engine({ () throws(LMDBError) in try file.stamp() }) == record.stamp,
      try !hasLoggedMore
    else { return false }
    var newest: (transaction: UInt64, bytes: [UInt8])?
    for page in 0..<PageLayout.firstPage {
      let offset = Int(page) * record.pageSize
      let bytes = try engine { () throws(LMDBError) in
        try file.read(at: offset, count: MetaLayout.size)
      }
      guard let meta = try? EngineMeta(bytes.span, page: page, offset: UInt64(offset)),
        meta.pageSize == record.pageSize
      else { return false }
      if newest.map({ meta.transaction > $0.transaction }) ?? true {
        newest = (meta.transaction, Array(bytes[MetaLayout.state]))
      }
    }
    return newest?.bytes == record.meta
  }

  /// What durable commits logged behind the recorded state; nil where the file itself has all of it,
  /// as in the session of the machine that they were made in.
  private var replay: LogReplay? {
    guard let checkpoints, let record = slots.newest, record.isSuspect || record.boot != boot else {
      return nil
    }
    return LogReplay(checkpoints, behind: record, segmentSize: options.internals.logSegment)
  }

  private var hasLoggedMore: Bool {
    get throws(ImageError) { try replay?.hasCommits() ?? false }
  }

  // MARK: The rungs above

  private func climb(
    _ file: borrowing ClosedFile, isAlone: Bool
  ) throws(ImageError) -> Verdict {
    if try isEmpty(file) { return try replaceEmpty(file) }
    let metas: MetaPages
    do throws(ImageError) { metas = try MetaPages(file, record: slots.newest) } catch {
      return try settle(error, file)
    }
    let wanted = try metas.wanted(slots.newest, boot: boot, isLogged: hasLoggedMore)
    guard let wanted else { return try check(file, metas) }
    // Nobody else may have the file open while its meta pages are written.
    guard isAlone else {
      guard try alone(file) else { return .wait }
      try readCheckpoints()
      header = nil
      return try climb(file, isAlone: true)
    }
    try write(wanted.meta, metas.pageSize, file)
    report.outcome = wanted.isLoss ? .recovered : .repaired
    return try check(
      file, MetaPages(file, record: slots.newest), mustVerify: true,
      behind: wanted.isLoss ? wanted.meta : nil)
  }

  private func alone(_ file: borrowing ClosedFile) throws(ImageError) -> Bool {
    try engine { () throws(LMDBError) in try file.isAlone() }
  }

  private func isEmpty(_ file: borrowing ClosedFile) throws(ImageError) -> Bool {
    try engine { () throws(LMDBError) in try file.size() } == 0
  }

  /// A file of no bytes is no image. It may be one that a crash left so: where damage is discarded
  /// or salvaged, an image is made in its place.
  private func replaceEmpty(_ file: borrowing ClosedFile) throws(ImageError) -> Verdict {
    guard options.onDamage != .refuse else {
      return .refuse(.foreign("the file is empty"))
    }
    guard options.creates, !options.isReadOnly else {
      return .refuse(.notFound("\(files.image) is empty"))
    }
    try engine { () throws(LMDBError) in try file.remove(from: files.image) }
    return .lookAgain
  }

  /// Sets both meta pages to one state, and flushes them.
  private func write(
    _ meta: [UInt8], _ pageSize: Int, _ file: borrowing ClosedFile
  ) throws(ImageError) {
    do throws(LMDBError) {
      let target = try Descriptor(path: files.image, flags: Descriptor.both)
      guard try file.isSame(as: target) else { throw LMDBError(.busy, in: .open) }
      for page in 0..<PageLayout.firstPage {
        let bytes = EngineMeta.page(page, state: meta)
        try Descriptor.write(target.number, bytes, at: Int(page) * pageSize)
      }
      try target.flush()
    } catch {
      let error = ImageError(error)
      if case .unavailable(let message) = error {
        throw .unavailable(
          "the image has to be opened for writing once, to be repaired: \(message)")
      }
      throw error
    }
  }

  /// Checks a file whose meta pages are as they should be: the header, and all of it where it isn't
  /// known to be as it was left. Behind a state that was gone back to, what was logged is done again.
  private func check(
    _ file: borrowing ClosedFile, _ metas: MetaPages, mustVerify: Bool = false,
    behind checkpoint: [UInt8]? = nil
  ) throws(ImageError) -> Verdict {
    let record = slots.newest
    let found: Found
    do throws(ImageError) {
      let pages = try PageFile(borrowing: file.descriptor)
      if let fault = pages.metaFaults.first { throw .damaged(fault) }
      if let refusal = try refusal(pages) { return try settle(refusal, file) }
      found = try look(at: pages, metas, record, file, mustVerify: mustVerify)
    } catch {
      return try settle(error, file)
    }
    if found.wasVerified {
      report.wasVerified = true
      if let checkpoint { try redo(behind: checkpoint, metas.pageSize, file) }
      // Who only reads wrote as well where the file went back to its checkpoint.
      if !options.isReadOnly || checkpoint != nil {
        try keepRecord(of: file, metas.pageSize, found.imageId)
      }
    }
    return .open
  }

  /// Does what was logged again. A log that makes the image one that isn't sound is none of ours, and
  /// is left out.
  private func redo(
    behind checkpoint: [UInt8], _ pageSize: Int, _ file: borrowing ClosedFile
  ) throws(ImageError) {
    guard let replay, try replay.hasCommits() else { return }
    var engine = Environment.Options()
    if let size = options.internals.mapSize { engine.mapSize = size }
    try replay.run(on: file, at: files.image, engine)
    do throws(ImageError) {
      if try Verifier.verify(PageFile(borrowing: file.descriptor)).isSound { return }
    } catch {
      guard case .damaged = error else { throw error }
    }
    try write(checkpoint, pageSize, file)
  }

  private struct Found {
    var imageId: [UInt8]
    var wasVerified: Bool
  }

  /// Why the file is not opened; nil when it is an image of these options.
  private func refusal(_ pages: PageFile) throws(ImageError) -> ImageError? {
    try pages.reading { (snapshot) throws(ImageError) in
      guard let value = try snapshot.value(.meta, MetaKey.header) else {
        return .foreign("an LMDB file of another kind")
      }
      return ImageMaking.mismatch(try Header(value), options)
    }
  }

  private func look(
    at pages: PageFile, _ metas: MetaPages, _ record: CheckpointRecord?,
    _ file: borrowing ClosedFile, mustVerify: Bool
  ) throws(ImageError) -> Found {
    let imageId = try pages.reading { (snapshot) throws(ImageError) -> [UInt8] in
      guard let value = try snapshot.value(.meta, MetaKey.header) else {
        throw .damaged(Damage("header", "it is missing"))
      }
      return try Header(value).imageId
    }
    let isChecked =
      switch options.trust {
      case .untrusted: true
      case .trusted: mustVerify
      case .automatic:
        if mustVerify || !deaths.places.isEmpty || record?.imageId != imageId {
          true
        } else {
          try !isWritten(file, metas, record, isWhole: pages.isWhole)
        }
      }
    guard isChecked else { return Found(imageId: imageId, wasVerified: false) }
    let verification = try Verifier.verify(pages)
    if let fault = verification.faults.first { throw .damaged(fault) }
    if deaths.inOpening >= OpeningMark.limit {
      throw .damaged(
        Damage(Self.crashLoop, "the engine's opening of it was fatal \(deaths.inOpening) times"))
    }
    return Found(imageId: imageId, wasVerified: true)
  }

  /// Whether a file's newest state was written by this library, as far as the record of its image
  /// can tell: it is the recorded one and nobody wrote since, or a later one of this session.
  private func isWritten(
    _ file: borrowing ClosedFile, _ metas: MetaPages, _ record: CheckpointRecord?, isWhole: Bool
  ) throws(ImageError) -> Bool {
    guard let record, !record.isSuspect else { return false }
    if metas.newest == record.meta {
      let stamp = try engine { () throws(LMDBError) in try file.stamp() }
      if stamp != record.stamp, looks < Self.looksAtTouched {
        throw .busy("the image is being written to")
      }
      return stamp == record.stamp
    }
    return record.boot == boot && metas.isNewer(than: record) && isWhole
  }

  /// Records a state that was checked as a checkpoint, when nobody else has the file open.
  private func keepRecord(
    of file: borrowing ClosedFile, _ pageSize: Int, _ imageId: [UInt8]
  ) throws(ImageError) {
    guard try alone(file) else { return }
    let metas = try MetaPages(file, record: nil)
    guard let meta = metas.newest, metas.areSound else { return }
    do throws(LMDBError) {
      var record = CheckpointRecord(
        sequence: (slots.newest?.sequence ?? 0) + 1, pageSize: pageSize, imageId: imageId,
        boot: boot ?? CheckpointRecord.noBoot, stamp: try file.stamp(), meta: meta)
      try file.synchronize()
      if let checkpoints, slots.newest?.imageId == imageId {
        try checkpoints.write(record, over: slots)
        try checkpoints.settle(record, slots)
      } else {
        record.sequence = 1
        checkpoints = try CheckpointFile.make(of: files.image, record, replacing: true)
        try checkpoints?.flushName()
      }
    } catch {
      throw ImageError(error)
    }
  }

  // MARK: What isn't opened

  /// Settles a file that can't be opened as it is, by the options' policies.
  private func settle(
    _ error: ImageError, _ file: borrowing ClosedFile
  ) throws(ImageError) -> Verdict {
    let isDamage: Bool
    switch error {
    case .damaged: isDamage = true
    case .incompatible(let reason):
      isDamage = false
      if reason == ImageMaking.otherAccount { return .refuse(error) }
    // A writer overtook the check: the next look may find the file as its record says.
    case .busy: throw error
    default: return .refuse(error)
    }
    let isKept =
      isDamage ? options.onDamage == .refuse : options.onIncompatible == .refuse
    // What another process reads and writes is not taken away under it.
    guard !isKept, !options.isReadOnly, try alone(file) else { return .refuse(error) }
    let aside = files.aside(isDamage ? "damaged" : "incompatible")
    if isDamage, options.onDamage == .salvage {
      let salvage = SalvageCopy(files, options)
      if let report = try? salvage.run(on: file, settingAside: aside) {
        self.report = OpeningReport(.salvaged(report), wasVerified: true, setAside: aside)
        return .lookAgain
      }
    }
    try engine { () throws(LMDBError) in try file.rename(from: files.image, to: aside) }
    Platform.unlink(files.checkpoint)
    report = OpeningReport(.discarded(error), setAside: aside)
    return .lookAgain
  }
}

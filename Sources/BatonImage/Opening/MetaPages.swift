internal import LMDB

/// The two meta pages of a closed file, and which state they should be set to, if any.
struct MetaPages {
  let pageSize: Int
  /// The sound ones, the newest state first, as the bytes behind the page's header.
  private var sound: [(transaction: UInt64, state: [UInt8])] = []
  /// Whether the record names a state of this file, as far as its header says so.
  private var isRecordOurs = false
  /// Whether the one sound meta page has the state of an image, as far as its header says so.
  private var isOtherUsable = false

  /// Reads both; with neither sound, pages are taken to be as large as the record has them.
  ///
  /// Throws `foreign` when neither meta page nor the record knows the file.
  init(_ file: borrowing ClosedFile, record: CheckpointRecord?) throws(ImageError) {
    if let pages = try? PageFile(borrowing: file.descriptor) {
      pageSize = pages.pageSize
    } else if let record {
      pageSize = record.pageSize
    } else {
      // Says in what way it isn't one.
      pageSize = try PageFile(borrowing: file.descriptor).pageSize
    }
    for page in 0..<PageLayout.firstPage {
      let offset = Int(page) * pageSize
      let bytes = try engine { () throws(LMDBError) in
        try file.read(at: offset, count: MetaLayout.size)
      }
      guard let meta = try? EngineMeta(bytes.span, page: page, offset: UInt64(offset)),
        meta.pageSize == pageSize
      else { continue }
      sound.append((meta.transaction, Array(bytes[MetaLayout.state])))
    }
    if sound.count == 2, sound[1].transaction > sound[0].transaction { sound.swapAt(0, 1) }
    if let record {
      let imageId = Self.imageId(of: record.meta, pageSize: record.pageSize, file)
      isRecordOurs = imageId == record.imageId
    }
    // A state before the image was made is no state to go back to.
    if sound.count == 1 {
      isOtherUsable = Self.imageId(of: sound[0].state, pageSize: pageSize, file) != nil
    }
  }

  /// The newest state, as the bytes behind the page's header.
  var newest: [UInt8]? { sound.first?.state }

  var areSound: Bool { sound.count == 2 }

  /// Whether the file is older than the record: a copy that was put in the image's place.
  func isOlder(than record: CheckpointRecord?) -> Bool {
    guard let record, isRecordOurs, areSound else { return false }
    return sound[0].transaction < record.transaction
  }

  func isNewer(than record: CheckpointRecord) -> Bool {
    sound.first.map { $0.transaction > record.transaction } ?? false
  }

  /// The state that both meta pages are to be set to; nil when they are right as they are.
  ///
  /// In a later session of the machine nothing behind the checkpoint can be relied on but what
  /// `isLogged` says the log has. In the same one everything that was written is there, so a meta page that isn't sound was damaged, and the
  /// other one or the record gives the state.
  func wanted(
    _ record: CheckpointRecord?, boot: [UInt8]?, isLogged: Bool
  ) -> (meta: [UInt8], isLoss: Bool)? {
    if areSound, newest == record?.meta, !isLogged { return nil }
    if isRecordOurs, let record, record.isSuspect || record.boot != boot, !isOlder(than: record) {
      return (record.meta, true)
    }
    if areSound { return nil }
    if isOtherUsable, sound[0].transaction >= record?.transaction ?? 0 {
      return (sound[0].state, false)
    }
    guard isRecordOurs, let record else { return nil }
    return (record.meta, false)
  }

  /// The image's number as the header of a state has it; nil where that can't be read.
  private static func imageId(
    of state: [UInt8], pageSize: Int, _ file: borrowing ClosedFile
  ) -> [UInt8]? {
    do throws(ImageError) {
      let pages = try PageFile(borrowing: file.descriptor, pageSize: pageSize)
      let page = EngineMeta.page(0, state: state)
      let meta = try EngineMeta(page.span, page: 0, offset: 0)
      guard meta.pageSize == pageSize else { return nil }
      let snapshot = try PageSnapshot(pages, meta: meta)
      guard let value = try snapshot.value(.meta, MetaKey.header) else { return nil }
      return try Header(value).imageId
    } catch {
      return nil
    }
  }
}

extension EngineMeta {
  /// A meta page's beginning: the page's header, and the state behind it.
  static func page(_ number: UInt64, state: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(u64: number)
    bytes.append(u16: 0)
    bytes.append(u16: PageKind.meta)
    bytes.append(u32: 0)
    return bytes + state
  }
}

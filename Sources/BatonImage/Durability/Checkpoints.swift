internal import LMDB
internal import Synchronization

/// Making one checkpoint, and taking over one that is there.
extension Checkpointer {
  /// The newest state, held still: its pin, meta page, and the file's times.
  private struct Capture {
    var pin: HeldPin
    var meta: [UInt8]
    var stamp: FileStamp
    var commit: UInt64?
    var transaction: UInt64 { UInt64(pin.pin.id) }
  }

  /// Makes a checkpoint of the newest state, unless another process was faster.
  ///
  /// `isLast` records the file's times too, which tell the next opener that nobody wrote since.
  /// Throws `removed` when the file has lost its name, and `engine` when a flush fails, after which
  /// the image takes no more writes.
  func checkpoint(isLast: Bool = false) throws(ImageError) {
    tell(
      try round.withLock { (count) throws(ImageError) in
        count += 1
        return try makeCheckpoint(isLast: isLast)
      })
  }

  /// Makes sure that a write may begin: pins the newest state, and has it recorded.
  func protect() throws(ImageError) {
    tell(
      try round.withLock { (_) throws(ImageError) -> UInt64? in
        if state.withLock({ $0.pin != nil }) { return nil }
        let pin = HeldPin(try engine { () throws(LMDBError) in try environment.pin() })
        guard try takeOver(pin) else { return try makeCheckpoint(isLast: false) }
        state.withLock { $0.pin = pin }
        return nil
      })
  }

  func tell(_ commit: UInt64?) {
    guard let commit else { return }
    listener.withLock { $0 }?(commit)
  }

  /// Whether the recorded state is the pinned one or a later one, so that the pin protects it.
  ///
  /// A record of an earlier session of the machine is written again under this one, unflushed: who
  /// comes in this session and finds later states then knows them to be whole. The slot it replaces
  /// is the older one, and both name the same state.
  private func takeOver(_ pin: HeldPin) throws(ImageError) -> Bool {
    guard let boot = setup.boot, let file = try openFile() else { return false }
    return try file.locked { () throws(ImageError) in
      let slots = try engine { () throws(LMDBError) in try file.slots() }
      guard var record = try current(slots), record.transaction >= UInt64(pin.pin.id) else {
        return false
      }
      do throws(LMDBError) {
        if record.boot == boot {
          try file.settle(record, slots)
          return true
        }
        guard record.transaction == UInt64(pin.pin.id) else { return false }
        record.boot = boot
        record.epoch = .random(in: .min ... .max)
        record.sequence += 1
        try file.write(record, over: slots)
        return true
      } catch {
        throw ImageError(error)
      }
    }
  }

  /// The commit of the new checkpoint, where somebody wants to know it; nil when it is no news.
  func makeCheckpoint(isLast: Bool) throws(ImageError) -> UInt64? {
    let capture = try capture()
    let file = try openFile()
    let isNews = try !isRecorded(capture, in: file, isLast: isLast)
    if isNews {
      try flush(file)
      try record(capture, file, isLast: isLast)
    }
    state.withLock { state in
      // A last one may be followed by one that waited for it: it must not hold the image open.
      state.pin = state.isClosed && !isLast ? nil : capture.pin
      state.recorded = max(state.recorded, capture.pin.pin.id)
    }
    return isNews ? capture.commit : nil
  }

  /// Holds writers up for a moment and takes the newest state.
  private func capture() throws(ImageError) -> Capture {
    try engine { () throws(LMDBError) in
      let writer = try environment.write(waitingAtMost: setup.writerWait)
      let pin = HeldPin(try environment.pin())
      precondition(pin.pin.id == writer.id - 1, "nobody commits while a writer is held")
      let meta = try environment.readFile(
        at: pin.pin.id % 2 * setup.pageSize, count: MetaLayout.size)
      let stamp = try environment.stamp()
      var commit: UInt64?
      if listener.withLock({ $0 != nil }),
        let value = try writer.value(at: MetaKey.state, in: setup.tables[.meta])
      {
        commit = (try? ImageCounters(value))?.commit
      }
      state.withLock { state in
        state.isDirty = false
        state.pages = 0
      }
      return Capture(pin: pin, meta: Array(meta[MetaLayout.state]), stamp: stamp, commit: commit)
    }
  }

  /// Flushes the log; whether it has `transaction`. A failure is one of flushing the image.
  func flushLog(holding transaction: Int) throws(ImageError) -> Bool {
    guard let log else { return false }
    var logged = 0
    do throws(LMDBError) { logged = try log.flush(holding: transaction) } catch {
      try failed(error, try openFile(), lockHeld: false)
    }
    state.withLock { $0.logged = max($0.logged, logged) }
    return logged >= transaction
  }

  /// Flushes the image; a failure ends writing, and is noted for others.
  private func flush(_ file: CheckpointFile?) throws(ImageError) {
    do throws(LMDBError) { try environment.synchronize() } catch {
      try failed(error, file, lockHeld: false)
    }
  }

  private func failed(
    _ error: LMDBError, _ file: CheckpointFile?, lockHeld: Bool
  ) throws(ImageError) {
    let error = ImageError(error)
    // Nothing was flushed, and nothing was tried: the process or the handle is at its end.
    if error == .forked || error == .closed { throw error }
    let failure = ImageError.engine(
      "a flush failed, so the image takes no more writes until it is opened again (\(error))")
    state.withLock { $0.failure = failure }
    _ = try? file?.noteFailure(lockHeld: lockHeld)
    throw failure
  }

  /// Whether the state or a later one is recorded already, on the medium.
  private func isRecorded(
    _ capture: Capture, in file: CheckpointFile?, isLast: Bool
  ) throws(ImageError) -> Bool {
    guard let file else { return false }
    return try file.locked { () throws(ImageError) in
      let slots = try engine { () throws(LMDBError) in try file.slots() }
      return try isRecorded(capture, in: file, slots, isLast: isLast)
    }
  }

  /// The same, with the file's lock held.
  private func isRecorded(
    _ capture: Capture, in file: CheckpointFile, _ slots: CheckpointSlots, isLast: Bool
  ) throws(ImageError) -> Bool {
    guard let newest = try current(slots), newest.boot == setup.boot,
      newest.transaction >= capture.transaction,
      !isLast || newest.transaction > capture.transaction || newest.stamp == capture.stamp
    else { return false }
    do throws(LMDBError) { try file.settle(newest, slots) } catch {
      try failed(error, file, lockHeld: true)
    }
    return true
  }

  /// Writes the record of a flushed state, unless a later one is recorded by now.
  private func record(
    _ capture: Capture, _ file: CheckpointFile?, isLast: Bool
  ) throws(ImageError) {
    var record = CheckpointRecord(
      sequence: 1, pageSize: setup.pageSize, imageId: setup.imageId,
      boot: setup.boot ?? CheckpointRecord.noBoot, stamp: capture.stamp, meta: capture.meta)
    guard let file else {
      let made = try engine { () throws(LMDBError) in
        let made = try CheckpointFile.make(of: environment.path, record, replacing: false)
        try made.flushName()
        return made
      }
      // Another process may have made it first, for another state.
      return try self.record(capture, made, isLast: isLast)
    }
    _ = try file.locked { () throws(ImageError) -> Bool in
      let slots = try engine { () throws(LMDBError) in try file.slots() }
      if try isRecorded(capture, in: file, slots, isLast: isLast) { return true }
      record.sequence = (slots.newest?.sequence ?? 0) + 1
      // In another session the states go on from what was gone back to.
      if let newest = slots.newest, newest.imageId == record.imageId, newest.boot == record.boot {
        record.epoch = newest.epoch
      }
      do throws(LMDBError) {
        try file.write(record, over: slots)
        try file.settle(record, slots)
      } catch {
        try failed(error, file, lockHeld: true)
      }
      return true
    }
  }

  /// The newest record of this image.
  ///
  /// Throws `engine` when a flush of another process failed.
  private func current(_ slots: CheckpointSlots) throws(ImageError) -> CheckpointRecord? {
    guard let newest = slots.newest, newest.imageId == setup.imageId else { return nil }
    guard newest.isSuspect, newest.boot == setup.boot else { return newest }
    let failure = ImageError.engine(
      "a flush of another process failed: close the image everywhere and open it again")
    state.withLock { $0.failure = failure }
    throw failure
  }

  /// The file beside the image; nil when there is none.
  private func openFile() throws(ImageError) -> CheckpointFile? {
    try engine { () throws(LMDBError) in
      try CheckpointFile.open(of: environment.path, writing: true)
    }
  }
}

extension CheckpointFile {
  /// Marks the newest record: who opens the image alone goes back to it.
  fileprivate func noteFailure(lockHeld: Bool) throws(LMDBError) {
    let isLocked = lockHeld ? false : lock()
    defer { if isLocked { unlock() } }
    let slots = try slots()
    guard var record = slots.newest, !record.isSuspect else { return }
    record.isSuspect = true
    record.sequence += 1
    do throws(LMDBError) { try write(record, over: slots) } catch {
      // What could not be flushed stays as it is; the note is for who reads the cache.
      try write(record.encoded, at: slots.older * CheckpointLayout.slotDistance)
    }
  }
}

internal import LMDB

extension Image {
  /// Ends the image: what follows its changes ends, running reads and writes finish, later calls
  /// throw `closed`.
  ///
  /// What was gathered in memory (fetch times, uses of records) is written first. The file is closed
  /// even where that fails; one that was removed or replaced takes what was gathered along. Reads that
  /// don't finish within five seconds end it with `busy`; the file closes then with the last of them.
  ///
  /// Where free pages take an eighth of the file or more, an image that was written to gives their
  /// room back to the file system: the file stays as long and takes less of the disk. That costs at
  /// most a second more, and other processes' writers wait meanwhile. Where a reader still holds
  /// an older state, somebody else writes, or the file system can't, pages keep their room.
  public func close() throws(ImageError) {
    try writer.checkIdle()
    life.endObservers()
    writer.close()
    var problem: ImageError?
    do throws(ImageError) {
      try flush(afterClosing: true)
    } catch .closed {
      // Closed before: nothing is left to write.
    } catch .removed {
      // What was gathered goes with the file it was for.
    } catch {
      problem = error
    }
    endOpening()
    do throws(ImageError) {
      try checkpointer?.close()
    } catch .closed {
      // Closed before: the last state is on the disk.
    } catch {
      problem = error
    }
    do throws(LMDBError) { try environment.close() } catch { problem = ImageError(error) }
    life.removeFolder()
    if let problem { throw problem }
  }
}

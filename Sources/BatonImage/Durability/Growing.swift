internal import LMDB

extension Image {
  /// Gives the engine's map twice its room, after a transaction found it full and has ended.
  ///
  /// Reads of this process that run are waited for. Throws `limit` at the largest map there can be,
  /// `busy` when a read doesn't end.
  func grow() throws(ImageError) {
    do throws(LMDBError) { try environment.grow() } catch {
      if error.code == .outOfMemory { throw .limit("there are no addresses for a larger map") }
      throw ImageError(error)
    }
  }
}

internal import LMDB
internal import Synchronization

/// What a size limit asks of checkpoints: pages that commits free can't be used again before the next
/// checkpoint, so a busy writer makes the file grow until it comes.
extension Image {
  /// Counts the pages of an eviction, and makes a checkpoint where the file is near its limit.
  func noteEvictionWritten(pages: Int) throws(ImageError) {
    guard pages > 0, let checkpointer else { return }
    checkpointer.state.withLock { $0.pages += pages }
    try boundGrowth()
  }

  /// Makes a checkpoint when the file is near its limit and much was written since the last.
  func boundGrowth() throws(ImageError) {
    guard let limit = options.sizeLimit, let checkpointer else { return }
    let written = checkpointer.state.withLock { $0.pages } * Int(header.pageSize)
    guard written > limit / 16 else { return }
    let size = try engine { () throws(LMDBError) in try environment.fileSize() }
    if size > limit / 4 * 3 { try checkpointer.checkpoint() }
  }
}

internal import Synchronization

/// The process's idle indexer: making one takes a quarter of a megabyte from the system, page by
/// page, which costs as much as indexing a response of fifty subjects.
enum JSONIndexerPool {
  private static let idle = Mutex<JSONIndexer?>(nil)

  /// The idle indexer, or a new one.
  static func take() throws(ImageError) -> JSONIndexer {
    if let indexer = idle.withLock({ $0.take() }) { return indexer }
    return try JSONIndexer()
  }

  /// Keeps an indexer for the next commit, unless its buffers have become large.
  static func giveBack(_ indexer: consuming JSONIndexer) {
    guard indexer.bytes.capacity <= JSONIndexer.retainedCapacity else { return }
    var indexer = Optional(indexer)
    idle.withLock { idle in
      if idle == nil { idle = indexer.take() }
    }
  }
}

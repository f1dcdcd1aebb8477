/// Holds the pages of one commit, so that no later commit reuses them, without reading them.
///
/// Unlike a reader it doesn't stand in the way of growing: the engine keeps a pin in the table of
/// readers, which isn't part of the map. It ends when it goes out of scope, on any thread.
public struct Pin: ~Copyable, @unchecked Sendable {
  // SAFETY (Sendable): a read transaction without thread-local storage (`MDB_NOTLS`) that nobody
  // reads through; its one owner ends it.
  private let raw: RawTransaction
  private let core: EnvironmentCore

  /// The number of the commit it holds.
  public let id: Int

  init(_ raw: RawTransaction, of core: EnvironmentCore) {
    self.raw = raw
    self.core = core
    id = raw.id
  }

  deinit { core.endPin(raw) }
}

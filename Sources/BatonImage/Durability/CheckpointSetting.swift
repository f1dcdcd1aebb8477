internal import LMDB

/// What tests set that nobody else does.
package struct ImageInternals: Sendable {
  /// Another session of the machine than this one's.
  package var boot: [UInt8]?
  /// The size of the engine's map at first, and at most.
  package var mapSize: Int?
  package var maximumMapSize: Int?
  /// The names an image holds at most.
  package var nameLimit: UInt32?
  /// The bytes of a segment of the log, a multiple of 4096.
  package var logSegment: Int?
  /// The file system's kind, as the system numbers it.
  package var fileSystem: Int?

  package init() {}
}

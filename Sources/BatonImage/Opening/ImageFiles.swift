internal import LMDB

/// The files that belong to an image: the only ones the library touches.
package struct ImageFiles: Sendable {
  /// The image itself, by its path from the root.
  package let image: String

  package init(path: String) { image = Platform.absolute(path) }

  package var folder: String { Platform.folder(of: image) }
  package var lock: String { image + "-lock" }
  package var checkpoint: String { CheckpointFile.path(of: image) }

  /// A name for a file that is set aside now.
  func aside(_ word: String) -> String { "\(image)-\(word)-\(WallClock.now)" }
}

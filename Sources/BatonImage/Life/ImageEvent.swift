/// Something that happened to an image, told through `Image.Options.events`.
///
/// An event never holds a value, a record's key, an argument or anything else that came from data:
/// it may be logged anywhere.
public enum ImageEvent: Sendable, Equatable {
  /// The image was opened. `isNew` says that this opening made it.
  case opened(isNew: Bool, commit: UInt64)
  /// A file that was there is not the image any more: it was set aside or removed.
  case discarded(DiscardReason)
  /// Records gave their fields up: how many, and the bytes of their pages.
  case evicted(records: Int, bytes: Int)
  /// The state up to a commit survives the loss of power.
  case checkpointed(commit: UInt64)
  /// A snapshot was held longer than `Image.Options.snapshotLimit`; its owner as the code named it.
  case slowReader(owner: String, held: Duration)
  /// A single commit did not fit under the size limit with anything else: all records that are
  /// neither pinned nor observed gave their fields up, those of the commit too.
  case wiped(bytes: Int, limit: Int)
}

/// Why a file was not taken as the image it should be.
public enum DiscardReason: String, Sendable {
  case damaged
  case otherFormat
  case otherIdentity
  case otherAccount
  /// Opening it ended the process too often.
  case crashLoop
}

extension Image {
  /// How much of a file is checked before it is opened.
  public enum Trust: Sendable {
    /// All of it, unless it is as this library left it: a file that somebody else wrote to, that was
    /// copied here, or that crashed its last opener is checked whole.
    case automatic
    /// All of it, always. Time is linear in the file's size.
    case untrusted
    /// The meta pages and the header, for files that come with the application. Damage elsewhere can
    /// end the process.
    case trusted
  }

  /// What becomes of a damaged image.
  public enum DamagePolicy: Sendable {
    /// It is set aside under another name, and a fresh image takes its place.
    case discard
    /// It is left as it is, and opening throws `damaged`.
    case refuse
    /// It is set aside, and every sound value of it is copied into a fresh image.
    case salvage
  }

  /// What becomes of an image of another format, key rules or identity.
  ///
  /// Another account's image is refused always.
  public enum IncompatiblePolicy: Sendable {
    /// It is set aside under another name, and a fresh image takes its place.
    case discard
    /// It is left as it is, and opening throws `incompatible`.
    case refuse
  }
}

/// What opening an image found and did.
public struct OpeningReport: Sendable, Equatable {
  /// What the image is.
  public enum Outcome: Sendable, Equatable {
    /// The image as it was left.
    case opened
    /// A new image.
    case made
    /// The image as of its last checkpoint and the durable commits behind it: the machine stopped
    /// before a later one was made.
    case recovered
    /// The image with one of its two meta pages written anew from what else says its state.
    case repaired
    /// A fresh image in place of one that could not be opened.
    case discarded(ImageError)
    /// A fresh image with what could be read of a damaged one.
    case salvaged(SalvageReport)
  }

  public var outcome: Outcome
  /// Whether every page and value was checked.
  public var wasVerified: Bool
  /// Where a file that was discarded or salvaged is now.
  public var setAside: String?

  package init(_ outcome: Outcome, wasVerified: Bool = false, setAside: String? = nil) {
    self.outcome = outcome
    self.wasVerified = wasVerified
    self.setAside = setAside
  }
}

/// What a salvage kept and lost.
public struct SalvageReport: Sendable, Equatable {
  /// Records of the fresh image.
  public var records = 0
  /// Natural keys and aliases of it.
  public var keys = 0
  public var aliases = 0
  /// What was found to be damaged or not to fit together any more, at most 1,000 of them.
  public var losses: [Damage] = []
  public var lossCount = 0
}

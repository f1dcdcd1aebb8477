/// What the whole of an image's file was found to be.
public struct VerificationReport: Sendable, Equatable {
  /// The file's length.
  public var bytes: UInt64 = 0
  /// Pages up to the file's last one, the two meta pages with them.
  public var pages: UInt64 = 0
  /// Pages the engine may use again.
  public var freePages: UInt64 = 0
  /// Rows of the table `records`.
  public var records: UInt64 = 0
  /// The last commit; 0 in a fresh image or where the state is damaged.
  public var commit: UInt64 = 0
  /// What is wrong, in the order it was found; at most `maximumFaults` of it.
  public var faults: [Damage] = []
  /// How much is wrong in all, as far as was looked: the search ends at a hundred thousand faults.
  public var faultCount: Int = 0
  /// What is unusual without harm, or was not checked because something else is wrong.
  public var notes: [Damage] = []

  /// How many faults a report lists.
  public static let maximumFaults = 1000

  /// Whether every check passed.
  public var isSound: Bool { faultCount == 0 }

  public init() {}
}

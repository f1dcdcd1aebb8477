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
  /// How much is wrong in all.
  public var faultCount: Int = 0
  /// What is unusual without harm, or was not checked because something else is wrong.
  public var notes: [Damage] = []

  /// How many faults a report lists.
  public static let maximumFaults = 1000

  /// Whether every check passed.
  public var isSound: Bool { faultCount == 0 }

  public init() {}
}

/// Where the checks of one verification write down what they find.
final class Findings {
  private(set) var faults: [Damage] = []
  private(set) var count = 0
  private(set) var notes: [Damage] = []

  func fault(_ structure: @autoclosure () -> String, at offset: UInt64?, _ message: String) {
    count += 1
    guard faults.count < VerificationReport.maximumFaults else { return }
    faults.append(Damage(structure(), offset: offset, message))
  }

  /// Writes down an error that a page or value was read with.
  func fault(_ error: ImageError, in structure: String) {
    if case .damaged(let damage) = error {
      fault(
        damage.structure.isEmpty ? structure : "\(structure): \(damage.structure)",
        at: damage.offset, damage.message)
    } else {
      fault(structure, at: nil, error.description)
    }
  }

  func note(_ structure: String, _ message: String) {
    guard notes.count < VerificationReport.maximumFaults else { return }
    notes.append(Damage(structure, message))
  }
}

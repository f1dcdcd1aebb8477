/// Where the checks of one verification write down what they find.
final class FaultLog {
  private(set) var faults: [Damage] = []
  private(set) var count = 0
  private(set) var notes: [Damage] = []

  /// Whether so much is wrong that looking for more serves nobody. A file made to be wrong
  /// everywhere costs no more time than a sound one.
  var isHopeless: Bool { count >= 100_000 }

  func fault(
    _ structure: @autoclosure () -> String, at offset: UInt64?,
    _ message: @autoclosure () -> String
  ) {
    count += 1
    guard faults.count < VerificationReport.maximumFaults else { return }
    faults.append(Damage(structure(), offset: offset, message()))
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

package import BatonImage
import BatonPlan

/// Opens a file by the engine as one that nobody vouches for, and reads all of what opening made of
/// it: an image is opened only when it is sound.
package enum OpeningTrial {
  package enum Outcome: Sendable {
    /// It was left as it is.
    case refused
    /// It was opened, perhaps with its meta pages repaired.
    case opened
    /// A fresh image stands in its place: it was set aside, or had no bytes.
    case replaced
  }

  /// Opens, reads and closes the image at `path`; files beside it may be made.
  package static func run(
    _ path: String, onDamage: Image.DamagePolicy
  ) throws(Finding) -> Outcome {
    var options = Image.Options()
    options.trust = .untrusted
    options.onDamage = onDamage
    let image: Image
    do throws(ImageError) { image = try Image.open(path: path, options: options) } catch {
      switch error {
      case .foreign, .incompatible: return .refused
      case .damaged where onDamage == .refuse: return .refused
      default: throw Finding("opening ends with: \(error)")
      }
    }
    let isReplaced =
      switch image.opening.outcome {
      case .opened, .recovered, .repaired: false
      case .made, .discarded, .salvaged: true
      }
    do throws(ImageError) {
      try read(image)
      try image.close()
      let report = try Verifier.verify(at: path)
      if let fault = report.faults.first { throw .damaged(fault) }
    } catch {
      throw Finding("opened (\(image.opening.outcome)), but: \(error)")
    }
    return isReplaced ? .replaced : .opened
  }

  private static func read(_ image: Image) throws(ImageError) {
    let snapshot = try image.snapshot()
    do throws(ImageError) { _ = try ImageTrial.dump(snapshot) } catch .limit {}
    for text in ImageTrial.texts { _ = try snapshot.card(text) }
    // A field may be of another kind than the document's: that is an error of its own.
    _ = try? snapshot.read(
      TrialPlans.load, variables: [:], identity: image.identity, maximumCount: 1 << 20)
    do throws(ImageError) {
      _ = try snapshot.number(ofNaturalKey: ImageTrial.naturalKey)
    } catch .limit {}
  }
}

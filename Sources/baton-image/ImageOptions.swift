import BatonImage
import BatonPlan

extension Image.Options {
  /// How the command opens an image to write to it: a file that is damaged, or something else, is
  /// left as it is and reported.
  static func forWriting(identity: IdentityRules? = nil, creates: Bool = true) -> Image.Options {
    var options = Image.Options(identity: identity, creates: creates)
    options.onDamage = .refuse
    options.onIncompatible = .refuse
    return options
  }
}

import BatonImage
import ImageFixtures

/// Loads images whose structure and values the input changes.
enum ImageTarget {
  static func run(_ input: [UInt8], scratch: Scratch) throws(Finding) {
    // What an earlier input left beside the file would have a say in how it is opened.
    scratch.clear()
    let path = scratch.write(ImageProgram(input).file, as: "loaded.image")
    if case .sound = try ImageTrial.run(path) { return }
    let policies: [Image.DamagePolicy] = [.refuse, .salvage, .discard]
    _ = try OpeningTrial.run(path, onDamage: policies[Int(hash(input.span) % 3)])
  }
}

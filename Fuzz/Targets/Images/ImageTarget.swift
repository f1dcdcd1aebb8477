import ImageFixtures

/// Loads images whose structure and values the input changes.
enum ImageTarget {
  static func run(_ input: [UInt8], scratch: Scratch) throws(Finding) {
    let path = scratch.write(ImageProgram(input).file, as: "loaded.image")
    _ = try ImageTrial.run(path)
  }
}

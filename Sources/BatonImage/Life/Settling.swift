extension Image {
  /// What follows a commit, with no lock held: observers are told, and records give their fields up
  /// where the image has grown too large.
  func settle() throws(ImageError) {
    life.noteCommit()
  }
}

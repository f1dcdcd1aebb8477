package import BatonPlan

/// An image file that nobody vouches for, read page by page and never through the engine.
///
/// No bytes of the file can crash or hang the process, and only the pages a read needs are read, so
/// that one record of a large file answers at once. What the command reads, it reads through this.
package final class UntrustedImage {
  let file: PageFile
  /// Where the file was opened.
  let path: String
  package let header: Header
  /// The identity and lookups the image was made with.
  package let identity: IdentityRules

  /// Opens the file at a path.
  ///
  /// Throws `notFound`, `foreign` when the file is no image, `incompatible` when it is one of
  /// another format or identity, `damaged` when its header can't be read.
  package init(path: String, identity expected: IdentityRules? = nil) throws(ImageError) {
    self.path = path
    file = try PageFile(path: path)
    header = try file.reading { (snapshot) throws(ImageError) in
      guard let value = try snapshot.value(.meta, MetaKey.header) else {
        throw .foreign("an LMDB file of another kind")
      }
      return try Header(value)
    }
    if let expected, expected.canonicalText != header.identity {
      throw .incompatible(
        "the image was made with the identity \(header.identity), "
          + "not \(expected.canonicalText)")
    }
    identity = if let expected { expected } else { try header.identityRules() }
  }

  /// Runs `body` on one consistent state; again when a writer overtook it, so `body` must have no
  /// effect that a second run would repeat.
  package func reading<Result>(
    _ body: (borrowing PageSnapshot) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    try file.reading { (snapshot) throws(ImageError) in try body(snapshot) }
  }
}

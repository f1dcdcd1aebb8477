import BatonImage
import ImageFixtures

/// An input read as a program: a base image, then changes to its values and, once these are laid
/// out, to its pages.
package struct ImageProgram {
  /// The file the program makes.
  package let file: [UInt8]

  private static let maximumChanges = 64
  private static let pageSizes = [4096, 512, 1024, 4096]
  /// Small images by page size, then larger ones.
  private static let bases = [9, 40].flatMap { extra in
    pageSizes.map { pageSize in
      var image = ImageFixture.sample(extra: extra)
      image.finish(pageSize: UInt32(pageSize))
      return image
    }
  }

  package init(_ bytes: [UInt8]) {
    var input = InputReader(bytes)
    var shape = FileComposer.Shape()
    let choice = Int(input.byte())
    shape.pageSize = Self.pageSizes[choice & 3]
    if choice & 4 != 0 { shape.leafNodes = 2 }
    if choice & 8 != 0 { shape.fanout = 3 }
    if choice & 16 != 0 { shape.freePages = 3 }
    var image = Self.bases[choice >> 3 & 4 | choice & 3]
    var pageChanges: [(kind: Int, input: InputReader)] = []
    for _ in 0..<Self.maximumChanges where !input.isAtEnd {
      let kind = Int(input.byte())
      if kind < 128 {
        ValueChange.apply(kind % ValueChange.kinds, &input, to: &image)
      } else {
        // A change to pages has its details in eight bytes, as the pages aren't there yet.
        pageChanges.append((kind % FileChange.kinds, InputReader(input.bytes(upTo: 8))))
      }
    }
    var hostile = HostileFile(
      FileComposer.file(of: image, shape: shape), pageSize: shape.pageSize)
    for var change in pageChanges {
      FileChange.apply(change.kind, &change.input, to: &hostile)
    }
    file = hostile.bytes
  }
}

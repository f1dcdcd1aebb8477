import BatonImage
import LMDB

extension ForeignFileTests {
  /// Rewrites the header of the library's image as another version of the format would have it.
  func remakeHeader(_ change: (inout Header) -> Void) throws {
    var header = try UntrustedImage(path: library.image).header
    change(&header)
    let environment = try Environment.open(path: library.image)
    let tables = try environment.openTables([ImageTable.meta.name], creating: false)
    var transaction = try environment.write()
    let bytes = header.encoded()
    try transaction.put(bytes.span, at: MetaKey.header, in: tables[0])
    try transaction.commit()
    try environment.close()
  }
}

import BatonImage
import LMDB

extension Library {
  /// Rewrites the image's header as one of another version of the format.
  func remake(formatVersion: UInt16) throws {
    var header = try UntrustedImage(path: image).header
    header.formatVersion = formatVersion
    let environment = try Environment.open(path: image)
    let tables = try environment.openTables([ImageTable.meta.name], creating: false)
    var transaction = try environment.write()
    let bytes = header.encoded()
    try transaction.put(bytes.span, at: MetaKey.header, in: tables[0])
    try transaction.commit()
    try environment.close()
  }
}

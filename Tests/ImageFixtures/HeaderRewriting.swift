import BatonImage
import LMDB

/// Headers as other versions of the library leave them.
package enum HeaderRewriting {
  /// Sets the format's version in the header of an image that nobody has open.
  package static func set(formatVersion: UInt16, of path: String) throws {
    var header = try UntrustedImage(path: path).header
    header.formatVersion = formatVersion
    let environment = try Environment.open(path: path)
    let table = try environment.openTables([ImageTable.meta.name], creating: false)[0]
    var transaction = try environment.write()
    try transaction.put(header.encoded().span, at: MetaKey.header, in: table)
    try transaction.commit()
    try environment.close()
  }
}

import BatonImage
import LMDB

/// Sets the flag of a pinned record in the file of a closed image.
func pin(_ id: String, inImageAt path: String) throws {
  let image = try Image.open(path: path)
  let number = try number(of: id, in: image)
  try image.close()
  let environment = try Environment.open(path: path)
  let table = try environment.openTables([ImageTable.records.name], creating: false)[0]
  var transaction = try environment.write()
  var row = try transaction.value(at: UInt64(number), in: table)?.copy() ?? []
  let flags = row.span.u16(at: RowLayout.flags) | RowFlags.pinned.rawValue
  row[RowLayout.flags] = UInt8(truncatingIfNeeded: flags)
  row[RowLayout.flags + 1] = UInt8(truncatingIfNeeded: flags >> 8)
  row.seal(table: .records, key: UInt64(number))
  try transaction.put(row.span, at: UInt64(number), in: table)
  try transaction.commit()
  try environment.close()
}

private func number(of id: String, in image: Image) throws -> UInt32 {
  try image.snapshot().number(ofId: Array(id.utf8)) ?? 0
}

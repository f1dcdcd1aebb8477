/// What can still be read of a damaged image: every value with the right checksum on a page that
/// the trees lead to.
///
/// Pages that are wrong are passed over with what hangs below them. A value is given as it is: its
/// checksum holds, but what it refers to may be lost, so what is made of it is verified anew.
package final class Salvage {
  private let inspection: Inspection

  /// Takes stock of a state of the file: the newest, or the one before when `previous` is set and
  /// its meta page is sound.
  ///
  /// Throws `damaged` when there is no such state, `engine` when the system refuses.
  package init(_ file: PageFile, previous: Bool = false) throws(ImageError) {
    guard file.metas.count > (previous ? 1 : 0) else {
      throw .damaged(Damage("meta pages", offset: 0, "the state before has none that is sound"))
    }
    inspection = try Inspection(file, meta: file.metas[previous ? 1 : 0])
    inspection.checkMainTable()
  }

  /// The tables that can be reached at all.
  package var tables: Set<ImageTable> { Set(inspection.tables.keys) }

  /// What was found to be lost so far.
  package var faults: [Damage] { inspection.log.faults }

  /// How much was found to be lost so far.
  package var faultCount: Int { inspection.log.count }

  /// Calls `body` for each value of a table that can be read, in order of keys. Each table once.
  ///
  /// Throws what `body` throws.
  package func forEach(
    _ table: ImageTable, _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard let tree = inspection.tables[table] else { return }
    var walk = TreeWalk<UInt64>("table \(table.name)", tree, in: inspection)
    while let (key, step) = walk.next() {
      guard let value = walk.value(at: step) else { continue }
      if isSealed(value.span, table: table, key: key) {
        try body(key, value.span)
      } else {
        inspection.log.fault("\(table.name) \(key)", at: value.offset, "the checksum is wrong")
      }
    }
  }
}

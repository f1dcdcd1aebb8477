/// Reads the main tree: the tables of the file.
extension Inspection {
  func checkMainTable() {
    if meta.main.flags != 0 {
      log.fault(
        "main table", at: meta.page * UInt64(file.pageSize) + UInt64(MetaLayout.mainTree),
        "a table with the flags \(meta.main.flags)")
    }
    let before = log.count
    var walk = TreeWalk<TableName>("main table", meta.main, in: self)
    while let (name, step) = walk.next() {
      let structure = "table \(name)"
      let place = step.page.offset + UInt64(step.node.offset)
      guard let table = ImageTable.allCases.first(where: { $0.name == name.description }) else {
        log.fault(structure, at: place, "no table of an image")
        continue
      }
      do throws(ImageError) {
        tables[table] = try file.tree(of: table, at: step, in: meta)
      } catch {
        log.fault(error, in: "main table")
      }
    }
    if walk.isWhole {
      for table in ImageTable.allCases where tables[table] == nil && log.count == before {
        log.fault("table \(table.name)", at: nil, "is missing")
      }
    }
    mainIsWhole = walk.isWhole && log.count == before
  }
}

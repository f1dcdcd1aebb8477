import BatonImage
import ImageFixtures

/// Reads raw bytes as the engine's file: whole, or as the pages behind two sound meta pages.
enum PageTarget {
  private static let pageSize = 512

  static func run(_ input: [UInt8], scratch: Scratch) throws(Finding) {
    var reader = InputReader(input)
    let mode = reader.byte()
    let rest = reader.rest()
    let file = mode & 1 == 0 ? rest : behindMeta(rest, mode: mode)
    scratch.clear()
    let path = scratch.write(file, as: "pages.image")
    _ = try ImageTrial.run(path)
  }

  /// The bytes as pages 2 and on of a file whose meta pages lead to one of them.
  private static func behindMeta(_ bytes: [UInt8], mode: UInt8) -> [UInt8] {
    let pages = max(1, (bytes.count + pageSize - 1) / pageSize)
    var file = HostileFile([UInt8](repeating: 0, count: 2 * pageSize), pageSize: pageSize)
    for page in 0...1 {
      let start = page * pageSize
      file.set(start, width: 8, UInt64(page))
      file.set(start + PageLayout.flags, width: 2, UInt64(PageKind.meta))
      file.set(start + MetaLayout.magic, width: 4, UInt64(MetaLayout.magicNumber))
      file.set(start + MetaLayout.version, width: 4, UInt64(MetaLayout.currentVersion))
      file.set(start + MetaLayout.mapSize, width: 8, 1 << 20)
      file.set(start + MetaLayout.lastPage, width: 8, UInt64(pages + 1))
      file.set(start + MetaLayout.transaction, width: 8, UInt64(page))
      for tree in [MetaLayout.freeTree, MetaLayout.mainTree] {
        let place = start + tree
        let isFree = tree == MetaLayout.freeTree
        let isEmpty = mode & (isFree ? 2 : 4) != 0
        file.set(place, width: 4, isFree ? UInt64(pageSize) : 0)
        file.set(place + TreeLayout.flags, width: 2, isFree ? 0x4008 : 0)
        file.set(place + TreeLayout.depth, width: 2, isEmpty ? 0 : UInt64(1 + mode >> 6))
        let root = isEmpty ? TreeLayout.noPage : UInt64(2 + Int(mode >> 3 & 7) % pages)
        file.set(place + TreeLayout.root, width: 8, root)
      }
    }
    file.bytes.append(contentsOf: bytes)
    // Each page bears its own number, so that what follows it is read.
    for page in 2..<2 + pages { file.set(page * pageSize, width: 8, UInt64(page)) }
    let whole = (pages + 2) * pageSize
    file.bytes.append(contentsOf: repeatElement(0, count: max(0, whole - file.bytes.count)))
    return file.bytes
  }
}

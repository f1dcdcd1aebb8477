import BatonImage
import ImageFixtures

/// Changes to rows that keep the tables that speak of them in step, so that the image stays sound
/// and yet unlike any that a commit makes.
enum RowChange {
  /// A row taken apart; nil when earlier changes left none to take apart.
  private struct Parts {
    var type: UInt32
    var flags: RowFlags
    var key: [UInt8]
    var cells: [(field: UInt32, cell: [UInt8])]

    init?(_ number: UInt32, _ image: ImageFixture) {
      guard let value = image.tables[.records]?[UInt64(number)] else { return nil }
      do throws(ImageError) {
        let row = try RowView(value.span, number: number)
        type = row.type
        flags = row.flags
        key = row.key.copy()
        cells = []
        for index in 0..<row.cellCount {
          cells.append((row.field(at: index), try row.cell(at: index).bytes.copy()))
        }
      } catch {
        return nil
      }
    }

    func put(_ number: UInt32, _ image: inout ImageFixture) {
      image.put(.records, UInt64(number), ImageFixture.row(type, flags, key, cells))
    }
  }

  static func add(_ flag: RowFlags, to number: UInt32, _ image: inout ImageFixture) {
    guard var parts = Parts(number, image) else { return }
    parts.flags.insert(flag)
    parts.put(number, &image)
  }

  /// One of the image's storage keys.
  private static func field(_ input: inout InputReader, _ image: ImageFixture) -> UInt32 {
    UInt32(5 + input.index(below: max(1, Int(image.nextName) - 5)))
  }

  /// A cell of a row: raw bytes, or one of a kind with raw payload, or links to records there are.
  static func setCell(_ input: inout InputReader, _ image: inout ImageFixture) {
    let number = ValueChange.record(&input, image)
    let field = field(&input, image)
    guard var parts = Parts(number, image) else { return }
    let cell = cell(&input, image)
    parts.cells.removeAll { $0.field == field }
    let place = parts.cells.firstIndex { $0.field > field } ?? parts.cells.count
    parts.cells.insert((field, cell), at: place)
    parts.put(number, &image)
  }

  private static func cell(_ input: inout InputReader, _ image: ImageFixture) -> [UInt8] {
    switch input.byte() % 4 {
    case 0: return input.bytes(upTo: Int(input.byte()))
    case 1:
      return [input.byte() % 10] + input.bytes(upTo: Int(input.byte()))
    case 2:
      let numbers = (0..<Int(input.byte() % 16)).map { _ in ValueChange.record(&input, image) }
      return numbers.count == 1
        ? ImageFixture.link(.link, numbers) : ImageFixture.link(.links, numbers)
    default:
      let texts = (0..<4).map { part in
        let text = String(decoding: input.bytes(upTo: Int(input.byte() % 32)), as: UTF8.self)
        return part == 1 ? "[" + text + "]" : part == 3 ? "{" + text + "}" : text
      }
      let block = ImageFixture.errors(texts)
      var cell = [CellKind.string.rawValue | CellKind.errors | (input.byte() & CellKind.stale)]
      cell.append(varint: UInt64(block.count))
      return cell + block + input.bytes(upTo: Int(input.byte()))
    }
  }

  static func setFlags(_ input: inout InputReader, _ image: inout ImageFixture) {
    let number = ValueChange.record(&input, image)
    let flags = RowFlags(rawValue: UInt16(input.u16()))
    guard var parts = Parts(number, image) else { return }
    parts.flags = input.byte() & 1 == 0 ? flags : parts.flags.symmetricDifference(flags)
    if parts.flags.contains(.moved), input.byte() & 1 == 0 {
      parts.cells = [(0, ImageFixture.link(.link, [ValueChange.record(&input, image)]))]
      unlist(number, parts.key, &image)
    }
    if parts.flags.contains(.deleted) { parts.cells = [] }
    parts.put(number, &image)
  }

  private static func unlist(_ number: UInt32, _ key: [UInt8], _ image: inout ImageFixture) {
    for kind in [0, 1] as [UInt8] {
      let key = hash(([kind] + key).span)
      guard let value = image.tables[.ids]?[key] else { continue }
      var kept: [UInt8] = [0, 0, 0, 0]
      for place in stride(from: 4, to: value.count - 3, by: 4) {
        let listed = value.span.u32(at: place)
        if listed != number { kept.append(u32: listed) }
      }
      image.tables[.ids]?[key] = nil
      if kept.count > 4 { image.put(.ids, key, kept) }
    }
  }

  /// A record found at a path below one there is, or a chain of them, each below the one before.
  static func addPathRow(_ input: inout InputReader, _ image: inout ImageFixture) {
    var parent = ValueChange.record(&input, image)
    let field = field(&input, image)
    let type: UInt32 = input.byte() & 1 == 0 ? 0 : 4
    let indexes = (0..<Int(input.byte() % 4)).map { _ in UInt32(input.byte()) }
    for _ in 0...Int(input.byte() % 32) {
      parent = image.addRow(
        type: type, flags: [.pathKey], key: ImageFixture.path(parent, field, type, indexes),
        cells: [])
    }
    image.finish(pageSize: image.pageSize)
  }

  /// A record with an id of any bytes, and a link from the query root to it.
  static func addIdRow(_ input: inout InputReader, _ image: inout ImageFixture) {
    let length = input.u16()
    var id = input.bytes(upTo: 1 + Int(input.byte()))
    guard !id.isEmpty else { return }
    while id.count < length % 6000 { id += id }
    let number = image.addRow(type: 4, key: id, cells: [(5, [input.byte() % 3])])
    if var root = Parts(1, image) {
      root.cells = [(10, ImageFixture.link(.links, [4, number, 0, number]))]
      root.put(1, &image)
    }
    image.finish(pageSize: image.pageSize)
  }
}

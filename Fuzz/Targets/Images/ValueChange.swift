import BatonImage
import ImageFixtures

/// One change to the values of an image, which are sealed again and laid out on sound pages: what
/// a hand that knows the format would do.
enum ValueChange {
  static let kinds = 15

  /// Applies the change of a kind, with its details read from the input.
  static func apply(_ kind: Int, _ input: inout InputReader, to image: inout ImageFixture) {
    switch kind {
    case 0: setByte(&input, &image)
    case 1: setNumber(&input, &image)
    case 2: insert(&input, &image)
    case 3: remove(&input, &image)
    case 4: removeEntry(&input, &image)
    case 5: copyEntry(&input, &image, keepsOld: false)
    case 6: copyEntry(&input, &image, keepsOld: true)
    case 7: RowChange.setCell(&input, &image)
    case 8: RowChange.setFlags(&input, &image)
    case 9: RowChange.addPathRow(&input, &image)
    case 10: RowChange.addIdRow(&input, &image)
    case 11: addName(&input, &image)
    case 12: addAlias(&input, &image)
    case 13: addNaturalKey(&input, &image)
    default: setHeader(&input, &image)
    }
  }

  /// One of an image's values; nil for a table without any.
  static func entry(
    _ input: inout InputReader, _ image: ImageFixture
  ) -> (table: ImageTable, key: UInt64)? {
    let table = ImageTable.allCases[input.index(below: ImageTable.allCases.count)]
    let keys = (image.tables[table] ?? [:]).keys.sorted()
    guard !keys.isEmpty else {
      _ = input.byte()
      return nil
    }
    return (table, keys[input.index(below: keys.count)])
  }

  /// The number of a record the image has.
  static func record(_ input: inout InputReader, _ image: ImageFixture) -> UInt32 {
    let keys = (image.tables[.records] ?? [:]).keys.sorted()
    guard !keys.isEmpty else { return 1 }
    return UInt32(truncatingIfNeeded: keys[input.index(below: keys.count)])
  }

  private static func setByte(_ input: inout InputReader, _ image: inout ImageFixture) {
    guard let (table, key) = entry(&input, image) else { return }
    let place = input.u16()
    let byte = input.byte()
    image.change(table, key) { value in
      if value.count > 4 { value[4 + place % (value.count - 4)] = byte }
    }
  }

  private static func setNumber(_ input: inout InputReader, _ image: inout ImageFixture) {
    guard let (table, key) = entry(&input, image) else { return }
    let place = 4 + Int(input.byte())
    let width = [1, 2, 4, 8][Int(input.byte()) % 4]
    var known: UInt64 = 0
    if let value = image.tables[table]?[key] {
      known = HostileFile(value, pageSize: 512).number(at: place, width: width)
    }
    let number = input.number(near: known)
    image.change(table, key) { value in
      var file = HostileFile(value, pageSize: 512)
      file.set(place, width: width, number)
      value = file.bytes
    }
  }

  private static func insert(_ input: inout InputReader, _ image: inout ImageFixture) {
    guard let (table, key) = entry(&input, image) else { return }
    let place = input.u16()
    let added = input.bytes(upTo: Int(input.byte()))
    image.change(table, key) { value in
      let index = min(value.count, 4 + place % max(1, value.count - 3))
      value.insert(contentsOf: added, at: index)
    }
  }

  private static func remove(_ input: inout InputReader, _ image: inout ImageFixture) {
    guard let (table, key) = entry(&input, image) else { return }
    let place = input.u16()
    let count = Int(input.byte())
    image.change(table, key) { value in
      let start = min(value.count, 4 + place % max(1, value.count - 3))
      value.removeSubrange(start..<min(value.count, start + count))
    }
  }

  private static func removeEntry(_ input: inout InputReader, _ image: inout ImageFixture) {
    guard let (table, key) = entry(&input, image) else { return }
    image.tables[table]?[key] = nil
  }

  /// The same value under another key, sealed for it.
  private static func copyEntry(
    _ input: inout InputReader, _ image: inout ImageFixture, keepsOld: Bool
  ) {
    guard let (table, key) = entry(&input, image), let value = image.tables[table]?[key] else {
      return
    }
    if !keepsOld { image.tables[table]?[key] = nil }
    image.put(table, input.number(near: key), value)
  }

  private static func addName(_ input: inout InputReader, _ image: inout ImageFixture) {
    let byte = input.byte()
    let kind: NameKind = byte % 8 == 7 ? .operation : byte % 2 == 0 ? .type : .storageKey
    let text = input.bytes(upTo: Int(input.byte()))
    _ = image.addName(kind, String(decoding: text, as: UTF8.self) + "\(image.nextName)")
    image.finish(pageSize: image.pageSize)
  }

  private static func addAlias(_ input: inout InputReader, _ image: inout ImageFixture) {
    let number = record(&input, image)
    let id = input.bytes(upTo: 1 + Int(input.byte()))
    guard !id.isEmpty else { return }
    var entry: [UInt8] = []
    entry.append(u32: number)
    image.appendEntry(.aliases, hash(id.span), entry + id)
    RowChange.add(.hasAliases, to: number, &image)
  }

  private static func addNaturalKey(_ input: inout InputReader, _ image: inout ImageFixture) {
    let number = record(&input, image)
    var entry: [UInt8] = []
    entry.append(u32: number)
    entry.append(1 + input.byte() % 2)
    entry.append(u64: UInt64(input.byte()))
    let text = Array(String(decoding: input.bytes(upTo: Int(input.byte())), as: UTF8.self).utf8)
    let key = hash(text.span)
    image.appendEntry(.keys, key, entry + text)
    var hashes = image.tables[.keysof]?[UInt64(number)] ?? [0, 0, 0, 0]
    hashes.append(u64: key)
    image.put(.keysof, UInt64(number), hashes)
    RowChange.add(.hasNaturalKeys, to: number, &image)
  }

  /// Another identity, other lookups or another account; or a counter of the state.
  private static func setHeader(_ input: inout InputReader, _ image: inout ImageFixture) {
    let what = input.byte() % 7
    switch what {
    case 0...2:
      let text = String(decoding: input.bytes(upTo: Int(input.byte())), as: UTF8.self)
      image.texts[Int(what)] = text
    case 3: image.commit = input.number(near: image.commit)
    case 4: image.nextRecord = input.number(near: image.nextRecord)
    case 5: image.nextName = UInt32(truncatingIfNeeded: input.number(near: UInt64(image.nextName)))
    default: image.oldestJournal = input.number(near: image.oldestJournal)
    }
    image.finish(pageSize: image.pageSize)
  }
}

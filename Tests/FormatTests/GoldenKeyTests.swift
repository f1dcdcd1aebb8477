import BatonImage
import BatonPlan
import TestSupport
import Testing

/// Holds keys to files of bytes that were written from the rules.
@Suite(.timeLimit(.minutes(60))) struct GoldenKeyTests {
  @Test func `storage keys are those of the golden file, to the byte`() throws {
    let cases = try GoldenFile("StorageKeys.txt").cases
    #expect(cases.count > 100)
    for lines in cases {
      try #require(lines.count == 3, "\(lines)")
      let name = try #require(lines[2].firstMatch(of: /^[a-z]+/)).output
      let alias = lines[0].firstMatch(of: /([a-z]+): [a-z]+(?:\(| })/)?.1
      let image = try KeyImage()
      try image.commit(
        lines[0], of: .arguments, variables: lines[1],
        Array(#"{"data":{"\#(alias ?? name)":1}}"#.utf8))
      let keys = try image.storageKeys().map { GoldenFile.text($0) }
      #expect(keys == [GoldenFile.text(GoldenFile.bytes(lines[2]))], "\(lines[0]) \(lines[1])")
    }
  }

  @Test func `record keys are those of the golden file, to the byte`() throws {
    let cases = try GoldenFile("RecordKeys.txt").cases
    #expect(cases.count > 40)
    for lines in cases {
      try #require(lines.count == 3, "\(lines)")
      let rules = try Configuration.rules(Value(json: Array(lines[0].utf8).span))
      let image = try KeyImage(rules)
      try image.commit(
        "{ one { id a b n } }", of: .record,
        Array(#"{"data":{"one":"#.utf8) + GoldenFile.bytes(lines[1]) + Array("}}".utf8))
      let key = try #require(try image.key(of: 4))
      #expect(key.isPath == (lines[2] == "path"), "\(lines)")
      if !key.isPath {
        #expect(key.bytes == GoldenFile.bytes(lines[2].dropFirst(3)), "\(lines)")
      }
      // Under the hash of a byte that tells ids from paths, and the key.
      let found = try image.numbers(under: hash(([key.isPath ? 1 : 0] + key.bytes).span))
      #expect(found == [4], "\(lines)")
      #expect(try image.key(of: 5) == nil, "\(lines)")
    }
  }

  @Test func `path keys are those of the golden file, to the byte`() throws {
    let cases = try GoldenFile("PathKeys.txt").cases
    #expect(cases.count > 10)
    for lines in cases {
      try #require(lines.count > 2, "\(lines)")
      let image = try KeyImage()
      try image.commit(
        lines[0], of: .places, Array(#"{"data":\#(lines[1])}"#.utf8))
      for line in lines.dropFirst(2) { try Self.check(path: line, in: image) }
    }
  }

  private static func check(path line: String, in image: KeyImage) throws {
    let sides = line.split(separator: " = ", maxSplits: 1)
    try #require(sides.count == 2, "\(line)")
    let parts = sides[1].split(separator: " | ", omittingEmptySubsequences: false)
    try #require(parts.count == 3 || parts.count == 4, "\(line)")
    let type = parts[2].prefix { $0 != " " }
    let snapshot = try image.image.snapshot()
    let parent = try #require(try snapshot.number(ofRecord: String(parts[0])), "\(line)")
    var expected: [UInt8] = []
    expected.append(u32: parent)
    expected.append(u32: try #require(try image.number(ofName: String(parts[1]), kind: 2)))
    expected.append(
      u32: type == "-" ? 0 : try #require(try image.number(ofName: String(type), kind: 1)))
    for index in parts.count == 4 ? parts[3].split(separator: " ") : [] {
      expected.append(u32: try #require(UInt32(index)))
    }
    let number = try #require(try snapshot.number(ofRecord: String(sides[0])), "\(line)")
    let key = try #require(try image.key(of: number), "\(line)")
    #expect(key.isPath, "\(line)")
    #expect(hexadecimal(key.bytes) == hexadecimal(expected), "\(line)")
    let text = try snapshot.keyText(of: number)
    #expect(text == String(sides[0]))
    #expect(try image.numbers(under: hash(([1] + expected).span)) == [number], "\(line)")
  }

  @Test
  func `natural keys, aliases, operations and fetches are those of the golden file, to the byte`()
    throws
  {
    let cases = try GoldenFile("OtherNames.txt").cases
    #expect(cases.count > 5)
    for lines in cases {
      try #require(lines.count > 3, "\(lines)")
      let image = try KeyImage()
      try image.commit(
        lines[0], of: .lookups, variables: lines[1], Array(lines[2].utf8))
      // The times of list lookups are gathered in memory.
      try image.image.flush()
      for line in lines.dropFirst(3) { try Self.check(name: line, in: image) }
      let names = try image.image.snapshot().otherNames()
      #expect(names.keys.count == lines.count { $0.hasPrefix("keys ") }, "\(lines)")
      #expect(names.aliases.count == lines.count { $0.hasPrefix("aliases ") }, "\(lines)")
    }
  }

  private static func check(name line: String, in image: KeyImage) throws {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    if words[0] == "finds" {
      let text = line.dropFirst("finds \(words[1]) ".count)
      #expect(try image.image.snapshot().id(of: String(text)) == String(words[1]), "\(line)")
      return
    }
    try #require(words.count == 4, "\(line)")
    let text = GoldenFile.bytes(words[3])
    let place = try #require(UInt64(words[1], radix: 16), "\(line)")
    let target = try image.image.snapshot().number(ofRecord: String(words[2]))
    switch words[0] {
    case "keys":
      // The number, live, commit 1.
      let entry = [UInt8](try #require(target)) + [1, 1, 0, 0, 0, 0, 0, 0, 0] + text
      #expect(try image.entries(.keys, place) == [entry], "\(line)")
    case "aliases":
      let entry = [UInt8](try #require(target)) + text
      #expect(try image.entries(.aliases, place) == [entry], "\(line)")
    case "fetches":
      // The operation's name, by the hash of its kind and text.
      let name = try #require(try image.value(.nameids, place), "\(line)")
      try #require(name.count == 8, "\(line)")
      let operation = name.span.u32(at: 4)
      #expect(
        try image.value(.names, UInt64(operation)).map { Array($0[4...]) } == [3] + text, "\(line)")
      let number = try #require(target)
      let key = UInt64(operation) << 32 | UInt64(number / 64)
      let value = try #require(try image.value(.fetches, key), "\(line)")
      // One group: the time, and the record's bit.
      #expect(value.count == 4 + 16)
      #expect(value[12 + Int(number % 64) / 8] & 1 << UInt8(number % 8) != 0, "\(line)")
    case "operations":
      let entries = try image.entries(.operations, place)
      #expect(entries.map { GoldenFile.text($0.dropFirst(16)) } == [GoldenFile.text(text)])
    default: Issue.record("\(line)")
    }
  }
}

extension [UInt8] {
  /// A number as it is kept.
  fileprivate init(_ number: UInt32) {
    self.init()
    append(u32: number)
  }
}

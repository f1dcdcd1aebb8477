import BatonImage
import FuzzTargets
import TestSupport

/// The ways in which a file is damaged, each of many shapes.
enum FileDamage: String, CaseIterable {
  /// Bits anywhere.
  case flipped
  /// Bytes and numbers in the heads of pages.
  case head
  /// Numbers of a meta page.
  case meta
  case cut
  case grown
  case zeroed
  /// Two pages in each other's place, or one in two.
  case swapped
  /// Pages of an earlier state: writes that never reached the medium.
  case stale
  /// Pages of another image.
  case spliced
  /// No image at all, or one only at the start.
  case foreign
  /// Structures that lie, with every checksum right.
  case crafted

  /// Whether what is read may be another image's.
  var mixesImages: Bool { self == .spliced || self == .foreign }
  /// Whether what is read may be what nobody wrote.
  var forges: Bool { self == .crafted }
  /// Whether the pages are of states that were never one.
  var mixesStates: Bool { self == .stale }

  func applied(
    to file: SoundFile, donor: SoundFile, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    var damage = Damaging(file: file, donor: donor, generator: generator)
    defer { generator = damage.generator }
    switch self {
    case .flipped: return damage.flipped()
    case .head: return damage.head()
    case .meta: return damage.meta()
    case .cut: return Array(file.bytes.prefix(damage.length()))
    case .grown: return file.bytes + damage.growth()
    case .zeroed: return damage.zeroed()
    case .swapped: return damage.swapped()
    case .stale: return damage.spliced(with: file.earlier)
    case .spliced: return damage.spliced(with: donor.bytes)
    case .foreign: return damage.foreign()
    case .crafted: return damage.crafted()
    }
  }
}

/// One damage in the making.
private struct Damaging {
  let file: SoundFile
  let donor: SoundFile
  var generator: SeededGenerator

  private var pages: Int { file.bytes.count / file.pageSize }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func page() -> Int { number(0..<pages) * file.pageSize }

  /// A number that breaks things more often than others.
  private mutating func extreme(width: Int) -> [UInt8] {
    let numbers: [UInt64] = [
      0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 1 << 31, 1 << 32 - 1, 1 << 63, .max - 1, .max,
      UInt64(pages), UInt64(file.bytes.count), generator.next(),
    ]
    let value = numbers[number(0..<numbers.count)]
    return (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  mutating func flipped() -> [UInt8] {
    var bytes = file.bytes
    for _ in 0..<number(1..<5) {
      bytes[number(0..<bytes.count)] ^= 1 << UInt8(number(0..<8))
    }
    return bytes
  }

  mutating func head() -> [UInt8] {
    var bytes = file.bytes
    for _ in 0..<number(1..<6) {
      let place = page() + number(0..<64)
      let value = generator.oneIn(2) ? generator.bytes(count: 1) : extreme(width: 2)
      bytes.replaceSubrange(place..<place + value.count, with: value)
    }
    return bytes
  }

  mutating func meta() -> [UInt8] {
    var bytes = file.bytes
    // Both as often as one: a sound one stands in for the other.
    let place = number(0..<MetaLayout.size - 8)
    let value = extreme(width: [1, 2, 4, 8][number(0..<4)])
    let chosen = [[0], [1], [0, 1]][number(0..<3)]
    for page in chosen {
      let start = page * file.pageSize + place
      bytes.replaceSubrange(start..<start + value.count, with: value)
    }
    return bytes
  }

  mutating func length() -> Int {
    switch number(0..<4) {
    case 0: return page()
    case 1: return number(0..<3 * file.pageSize)
    default: return number(0..<file.bytes.count)
    }
  }

  mutating func growth() -> [UInt8] {
    switch number(0..<3) {
    case 0: return [UInt8](repeating: 0, count: number(1..<8 * file.pageSize))
    case 1: return generator.bytes(count: number(1..<2 * file.pageSize))
    default: return Array(file.bytes.suffix(number(1..<file.bytes.count)))
    }
  }

  mutating func zeroed() -> [UInt8] {
    var bytes = file.bytes
    let start = generator.oneIn(2) ? page() : number(0..<bytes.count)
    let count = generator.oneIn(2) ? file.pageSize : number(1..<4 * file.pageSize)
    for place in start..<min(bytes.count, start + count) { bytes[place] = 0 }
    return bytes
  }

  mutating func swapped() -> [UInt8] {
    var bytes = file.bytes
    let (left, right) = (page(), page())
    let size = file.pageSize
    bytes.replaceSubrange(left..<left + size, with: file.bytes[right..<right + size])
    if generator.oneIn(2) {
      bytes.replaceSubrange(right..<right + size, with: file.bytes[left..<left + size])
    }
    return bytes
  }

  /// Some pages, or all from one on, of another file.
  mutating func spliced(with other: [UInt8]) -> [UInt8] {
    var bytes = file.bytes
    if generator.oneIn(3) {
      let start = page()
      return Array(bytes.prefix(start)) + other.dropFirst(start)
    }
    for _ in 0..<number(1..<4) {
      let start = page()
      let source = generator.oneIn(2) ? start : number(0..<other.count)
      let size = min(file.pageSize, other.count - source)
      guard size > 0 else { continue }
      bytes.replaceSubrange(start..<start + size, with: other[source..<source + size])
    }
    return bytes
  }

  mutating func foreign() -> [UInt8] {
    switch number(0..<4) {
    case 0: return generator.bytes(upTo: 40 * 4096)
    case 1: return Array(file.bytes.prefix(2 * file.pageSize)) + generator.bytes(upTo: 40 * 4096)
    case 2: return Array(file.bytes.prefix(file.pageSize)) + donor.bytes
    default: return Array(String(repeating: #"{"data": null}"#, count: number(0..<9000)).utf8)
    }
  }

  /// A program of the fuzzed target: changes to values now and then, to pages always.
  mutating func crafted() -> [UInt8] {
    var program = generator.bytes(count: 1)
    if generator.oneIn(2) {
      let value = generator.bytes(count: number(4..<24))
      program += [UInt8(number(0..<128))] + value
    }
    for _ in 0..<number(1..<5) {
      program += [UInt8(128 + number(0..<128))] + generator.bytes(count: 8)
    }
    return ImageProgram(program).file
  }
}

/// A way in which bytes get damaged, as a value: it can be listed, printed and applied again.
public enum ByteDamage: Hashable, Sendable, CustomStringConvertible {
  /// The bits of `mask` in the byte at `offset` are turned around.
  case flip(offset: Int, mask: UInt8)
  /// The byte at `offset` has this value.
  case set(offset: Int, to: UInt8)
  /// Nothing from `count` on is left.
  case cut(count: Int)
  /// `range` is all zero.
  case zero(Range<Int>)
  /// `range` holds the bytes that begin at `source`, as a block written to the wrong place.
  case misplace(source: Int, over: Range<Int>)

  /// The damaged copy; what lies outside of the bytes changes nothing.
  public func applied(to bytes: [UInt8]) -> [UInt8] {
    var damaged = bytes
    switch self {
    case .flip(let offset, let mask):
      if damaged.indices.contains(offset) { damaged[offset] ^= mask }
    case .set(let offset, let value):
      if damaged.indices.contains(offset) { damaged[offset] = value }
    case .cut(let count):
      damaged.removeLast(damaged.count - min(max(count, 0), damaged.count))
    case .zero(let range):
      for index in range.clamped(to: damaged.indices) { damaged[index] = 0 }
    case .misplace(let source, let range):
      for index in range.clamped(to: damaged.indices) {
        let origin = source + (index - range.lowerBound)
        if bytes.indices.contains(origin) { damaged[index] = bytes[origin] }
      }
    }
    return damaged
  }

  public var description: String {
    switch self {
    case .flip(let offset, let mask): "flip \(offset) by \(mask)"
    case .set(let offset, let value): "set \(offset) to \(value)"
    case .cut(let count): "cut at \(count)"
    case .zero(let range): "zero \(range)"
    case .misplace(let source, let range): "misplace \(source) over \(range)"
    }
  }
}

extension ByteDamage {
  /// Each byte of `count` turned around by each mask, and the bytes cut at each length.
  public static func everyByte(count: Int, masks: [UInt8] = [0x01, 0x80, 0xFF]) -> [ByteDamage] {
    let flips = (0..<count).flatMap { offset in
      masks.map { ByteDamage.flip(offset: offset, mask: $0) }
    }
    return flips + (0..<count).map { ByteDamage.cut(count: $0) }
  }

  /// One damage somewhere in `range`, of any kind but cutting.
  public static func random(
    in range: Range<Int>, using generator: inout SeededGenerator
  ) -> ByteDamage {
    let offset = Int.random(in: range, using: &generator)
    let end = min(range.upperBound, offset + Int.random(in: 1...64, using: &generator))
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return .flip(offset: offset, mask: 1 << UInt8.random(in: 0..<8, using: &generator))
    case 1: return .set(offset: offset, to: UInt8.random(in: 0...255, using: &generator))
    case 2: return .zero(offset..<end)
    default: return .misplace(source: Int.random(in: range, using: &generator), over: offset..<end)
    }
  }
}

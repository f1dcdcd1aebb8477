/// Reads an input from left to right as the choices a target makes; past its end all are 0.
struct InputReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func u16() -> Int { Int(byte()) | Int(byte()) << 8 }

  mutating func u32() -> UInt32 { UInt32(u16()) | UInt32(u16()) << 16 }

  mutating func u64() -> UInt64 { UInt64(u32()) | UInt64(u32()) << 32 }

  /// Below `count`, which must be positive.
  mutating func index(below count: Int) -> Int {
    Int(count > 256 ? u16() : Int(byte())) % count
  }

  /// Up to `count` bytes, as many as there are.
  mutating func bytes(upTo count: Int) -> [UInt8] {
    let end = min(bytes.count, position + count)
    defer { position = end }
    return Array(bytes[position..<end])
  }

  /// All that is left.
  mutating func rest() -> [UInt8] { bytes(upTo: bytes.count) }

  /// A number of up to 64 bits, one of those that break things more often than not.
  mutating func number(near known: UInt64 = 0) -> UInt64 {
    let code = byte()
    switch code {
    case 0...7: return UInt64(code)
    case 8: return .max
    case 9: return .max - 1
    case 10: return 1 << 63
    case 11: return 1 << 63 - 1
    case 12: return 1 << 32
    case 13: return 1 << 32 - 1
    case 14: return 1 << 31
    case 15: return 0xFFFF
    case 16: return 0x8000
    case 17: return 0xFF
    case 18: return known &+ 1
    case 19: return known &- 1
    case 20: return known &+ 2
    case 21: return known &* 2
    case 22: return known / 2
    case 23...150: return UInt64(u16())
    case 151...220: return UInt64(u32())
    default: return u64()
    }
  }
}

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Which start of the machine this is.
///
/// What a process left in the system's cache is there as long as the machine runs, and no longer:
/// two processes under the same session see the same bytes of a file.
package enum BootSession {
  package static let size = 16

  /// The session's 16 bytes, random ones; nil where the system doesn't tell.
  package static let current: [UInt8]? = bytes(of: text())

  /// The bytes of a UUID's text.
  static func bytes(of text: [UInt8]) -> [UInt8]? {
    var digits: [UInt8] = []
    for character in text.prefix(36) where character != UInt8(ascii: "-") {
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(character - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(character - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(character - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    guard digits.count == 2 * size else { return nil }
    return (0..<size).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }

  private static func text() -> [UInt8] {
    #if canImport(Darwin)
      var text = [UInt8](repeating: 0, count: 64)
      var count = text.count
      // SAFETY: the system writes at most `count` bytes into the array, and says how many.
      let status = unsafe text.withUnsafeMutableBytes { buffer in
        unsafe sysctlbyname("kern.bootsessionuuid", buffer.baseAddress, &count, nil, 0)
      }
      return status == 0 ? Array(text.prefix(count)) : []
    #else
      guard
        let file = try? Descriptor(
          path: "/proc/sys/kernel/random/boot_id", flags: Descriptor.reading)
      else { return [] }
      return (try? Descriptor.read(file.number, at: 0, count: 36)) ?? []
    #endif
  }
}

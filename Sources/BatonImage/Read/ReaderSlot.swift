#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A reader's place in the engine's lock file.
///
/// A reader that lasts keeps the pages of its state from being used again, and one whose process
/// died does so until the next opener clears it.
package struct ReaderSlot: Sendable, Equatable {
  package var process: Int32
  /// The transaction it reads; nil between two reads.
  package var transaction: UInt64?
  /// Whether the process is there.
  package var isAlive: Bool

  /// The readers listed in the lock file beside an image, none where there is no such file.
  ///
  /// Nil where the lock file is of another layout than the one this knows: that of release 0.9.24 on
  /// 64-bit x86 Linux. Never writes, and takes no lock.
  static func all(beside path: String) -> [ReaderSlot]? {
    #if os(Linux) && arch(x86_64)
      let bytes: [UInt8]
      do throws(ImageError) {
        let file = try FileBytes(opening: path + "-lock")
        bytes = try file.read(Int(min(try file.length(), Layout.maximumSize)), at: 0)
      } catch .notFound {
        return []
      } catch {
        return nil
      }
      return read(bytes.span)
    #else
      return nil
    #endif
  }

  private static func read(_ bytes: Span<UInt8>) -> [ReaderSlot]? {
    guard bytes.count >= Layout.readers, bytes.u32(at: 0) == MetaLayout.magicNumber,
      bytes.u32(at: Layout.format) == Layout.knownFormat
    else { return nil }
    let room = (bytes.count - Layout.readers) / Layout.slot
    let used = min(room, Int(bytes.u32(at: Layout.used)))
    var slots: [ReaderSlot] = []
    for index in 0..<used {
      let start = Layout.readers + index * Layout.slot
      let process = Int32(bitPattern: bytes.u32(at: start + Layout.process))
      guard process > 0 else { continue }
      let transaction = bytes.u64(at: start)
      slots.append(
        ReaderSlot(
          process: process, transaction: transaction == .max ? nil : transaction,
          isAlive: kill(process, 0) == 0 || errno == EPERM))
    }
    return slots
  }

  /// Where things lie in the lock file.
  private enum Layout {
    static let format = 4
    static let knownFormat: UInt32 = 0x0001_0001
    static let used = 56
    static let readers = 128
    static let slot = 64
    static let process = 8
    static let maximumSize: UInt64 = 1 << 20
  }
}

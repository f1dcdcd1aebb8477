/// What a write transaction did, in its order, as bytes from which it can be done again.
///
/// A write takes 16 bytes, little-endian, and its value: the kind (u8), the table's number (u8), zero
/// (u16), the value's size (u32) and the key (u64). One transaction at a time fills it.
public final class WriteRecord: @unchecked Sendable {
  // SAFETY (Sendable): whoever has the writers' turn is the only one who uses it.

  public enum Kind: UInt8 {
    case put = 1
    case delete
    /// Removes all entries of the table.
    case clear
  }

  /// The bytes before the first write, zero at first, are the owner's, as is what it appends.
  public var bytes: [UInt8] = []
  /// The transaction whose writes these are; 0 when there was none.
  public private(set) var transaction = 0
  /// Whether all of its writes are here: not those of a transaction with more than `limit` bytes.
  public private(set) var isWhole = false

  private let head: Int
  private let limit: Int
  /// The tables' numbers by handle; 0 for others.
  private let numbers: [UInt8]

  /// A record for transactions on `tables`, which have the numbers from 1 on in this order.
  public init(of tables: [Table], head: Int, limit: Int) {
    self.head = head
    self.limit = limit
    var numbers = [UInt8](repeating: 0, count: Int(tables.map(\.handle).max() ?? 0) + 1)
    for (index, table) in tables.enumerated() { numbers[Int(table.handle)] = UInt8(index + 1) }
    self.numbers = numbers
  }

  func begin(_ transaction: Int) {
    self.transaction = transaction
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: repeatElement(0, count: head))
    isWhole = true
  }

  /// Gives up: the transaction writes what can't be taken down.
  func leave() { isWhole = false }

  func note(_ kind: Kind, table: UInt32, key: UInt64, value: Span<UInt8> = Span()) {
    guard isWhole else { return }
    let number = Int(table) < numbers.count ? numbers[Int(table)] : 0
    guard number != 0, bytes.count + Self.size + value.count <= limit else { return leave() }
    let count = UInt64(UInt32(value.count))
    append(UInt64(kind.rawValue) | UInt64(number) << 8 | count << 32)
    append(key)
    // SAFETY: the pointer lives for the closure only, and the array copies from it.
    unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// What a write takes beside its value.
  public static let size = 16

  private func append(_ number: UInt64) {
    // SAFETY: the number's bytes live for the closure only, and the array copies them.
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}

/// Where the values of one state of an image come from: an engine transaction, or a file read
/// page by page without trusting it.
///
/// What reads records is written against this, so that the same code answers an application's
/// reads in place and the command's reads of a hostile file. Values come back with their checksum
/// verified and still in front; they are borrowed until the next call that may read another page.
package protocol RecordSource: ~Copyable {
  /// The value at `key`, whole, or nil when there is none.
  ///
  /// Throws `damaged` when the value's checksum is wrong or its page can't be read.
  @_lifetime(borrow self)
  borrowing func value(_ table: ImageTable, _ key: UInt64) throws(ImageError) -> Span<UInt8>?

  /// The value of the lowest key at `key` or above, whole, or nil when there is none.
  ///
  /// Throws as `value(_:_:)`.
  @_lifetime(borrow self)
  borrowing func value(
    _ table: ImageTable, atLeast key: UInt64
  ) throws(ImageError) -> Span<UInt8>?

  /// Calls `body` for each entry of the table with a key of at least `start`, in order of keys,
  /// until it returns false.
  borrowing func forEach(
    _ table: ImageTable, from start: UInt64,
    _ body: (_ key: UInt64, _ value: Span<UInt8>) throws(ImageError) -> Bool
  ) throws(ImageError)

  /// Notes that a read came to a record: that it was used, and that an observer depends on it.
  borrowing func noteRead(of record: UInt32)

  /// A fetch time that is gathered in memory, by the operation's text.
  borrowing func pendingFetchTime(of text: OperationText) -> Int64?

  /// The same of a record that a list lookup answered.
  borrowing func pendingFetchTime(of operation: OperationText, record: UInt32) -> Int64?

  /// What reads touch, for an observer; nil where nobody observes.
  var trace: ReadTrace? { get }

  /// The number of a record that a key with this hash may be of; its row tells.
  borrowing func expectedNumber(ofKeyHash hash: UInt64) -> UInt32?

  /// The record with a key, where it lies behind the one found last; nil elsewhere, or where nobody
  /// looks there.
  borrowing func nearbyNumber(ofKey key: Span<UInt8>, isPath: Bool) -> UInt32?

  /// Notes which record a key with this hash was found to be of.
  borrowing func noteFound(_ number: UInt32, byKeyHash hash: UInt64)
}

extension RecordSource where Self: ~Copyable {
  package borrowing func noteRead(of record: UInt32) {}
  package borrowing func pendingFetchTime(of text: OperationText) -> Int64? { nil }
  package borrowing func pendingFetchTime(of operation: OperationText, record: UInt32) -> Int64? {
    nil
  }
  package var trace: ReadTrace? { nil }
  package borrowing func expectedNumber(ofKeyHash hash: UInt64) -> UInt32? { nil }
  package borrowing func nearbyNumber(ofKey key: Span<UInt8>, isPath: Bool) -> UInt32? { nil }
  package borrowing func noteFound(_ number: UInt32, byKeyHash hash: UInt64) {}
}

internal import CSimdjson

/// Indexes JSON documents with simdjson's first stage and owns the buffers it does so in.
///
/// One indexer serves one document at a time: bytes and offsets are those of the last `index`. The
/// buffers are kept for the next document up to `retainedCapacity`.
@safe
struct JSONIndexer: ~Copyable, @unchecked Sendable {
  // SAFETY (Sendable): it can't be copied, so whoever has it is the only one who does.

  /// The document followed by padding; its first `count` bytes are the document.
  private(set) var bytes: [UInt8] = []
  // SAFETY: memory of `indexer`, which is as it is until the next `index`; empty before the first.
  private var found = unsafe UnsafeBufferPointer<UInt32>(start: nil, count: 0)
  /// The document's length.
  private(set) var count = 0

  // SAFETY: made in `init`, destroyed in `deinit`, and used by nobody else.
  private let indexer: OpaquePointer

  /// The largest document an indexer keeps buffers for.
  static let retainedCapacity = 4 << 20
  /// The largest document taken: offsets are 32 bits wide, and 1 GiB is beyond any response.
  static let maximumCount = 1 << 30

  init() throws(ImageError) {
    guard let indexer = unsafe baton_json_indexer_create() else {
      throw .engine("there is no memory for the JSON index")
    }
    unsafe self.indexer = indexer
  }

  deinit {
    unsafe baton_json_indexer_destroy(indexer)
  }

  /// Where the structural characters and the values start, ascending.
  private var offsets: Span<UInt32> {
    @_lifetime(borrow self)
    get {
      // SAFETY: the span borrows self, and what changes the memory mutates or ends it.
      unsafe _overrideLifetime(Span(_unsafeElements: found), borrowing: self)
    }
  }

  /// A reader at the document's first value.
  var reader: JSONReader {
    @_lifetime(borrow self)
    get { JSONReader(bytes: bytes.span.extracting(first: count), offsets: offsets) }
  }

  /// Copies and indexes a document.
  ///
  /// Throws `response` with the byte offset when it is empty, not UTF-8, has a control character in
  /// a string or a string without end. Grammar is the reader's to check.
  mutating func index(_ document: Span<UInt8>) throws(ImageError) {
    guard document.count <= Self.maximumCount else {
      throw .limit("a response of \(document.count) bytes; the most is \(Self.maximumCount)")
    }
    if bytes.capacity > Self.retainedCapacity && document.count < Self.retainedCapacity {
      bytes = []
    }
    unsafe found = UnsafeBufferPointer(start: nil, count: 0)
    bytes.removeAll(keepingCapacity: true)
    count = document.count
    bytes.append(document)
    bytes.append(contentsOf: repeatElement(0x20, count: Int(BATON_JSON_PADDING)))
    var start: UnsafePointer<UInt32>?
    var offsetCount = 0
    let status = unsafe bytes.withUnsafeBufferPointer { buffer -> Int32 in
      // SAFETY: the buffer is `count` bytes and the padding long and lives until the call returns.
      guard let base = buffer.baseAddress else { return Int32(BATON_JSON_EMPTY.rawValue) }
      return unsafe baton_json_index(indexer, base, count, &start, &offsetCount)
    }
    if status == Int32(BATON_JSON_OK.rawValue) {
      unsafe found = UnsafeBufferPointer(start: start, count: offsetCount)
      return
    }
    throw .response(problem(status, document))
  }

  private func problem(_ status: Int32, _ document: Span<UInt8>) -> ResponseProblem {
    switch UInt32(bitPattern: status) {
    case BATON_JSON_EMPTY.rawValue:
      return ResponseProblem("it is empty", offset: 0)
    case BATON_JSON_INVALID_UTF8.rawValue:
      return ResponseProblem("it is not UTF-8", offset: JSONFault.invalidUTF8(in: document))
    case BATON_JSON_UNCLOSED_STRING.rawValue:
      return ResponseProblem(
        "a string has no end", offset: JSONFault.unclosedString(in: document))
    case BATON_JSON_CONTROL_CHARACTER.rawValue:
      return ResponseProblem(
        "a control character in a string", offset: JSONFault.controlCharacter(in: document))
    default:
      return ResponseProblem("it can't be indexed as JSON (\(status))", offset: 0)
    }
  }
}

/// Finds where a document that the index refused is at fault; byte by byte, as it is rare.
enum JSONFault {
  static func invalidUTF8(in document: Span<UInt8>) -> Int {
    do {
      _ = try UTF8Span(validating: document)
      return 0
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// The start of the last string, which never ends.
  static func unclosedString(in document: Span<UInt8>) -> Int {
    strings(in: document).unclosed ?? document.count
  }

  static func controlCharacter(in document: Span<UInt8>) -> Int {
    strings(in: document).control ?? 0
  }

  private static func strings(in document: Span<UInt8>) -> (unclosed: Int?, control: Int?) {
    var start: Int?
    var isEscaped = false
    for index in document.indices {
      let byte = document[index]
      guard start != nil else {
        if byte == UInt8(ascii: "\"") { start = index }
        continue
      }
      if byte < 0x20 { return (nil, index) }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        start = nil
      }
    }
    return (start, nil)
  }
}

/// Small reads of a response's envelope, where speed doesn't matter.
enum JSONText {
  /// The decoded bytes of a string.
  static func bytes(_ string: JSONString, in bytes: Span<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    string.appendDecoded(from: bytes, to: &decoded)
    return decoded
  }

  static func text(_ string: JSONString, in bytes: Span<UInt8>) -> String {
    String(decoding: self.bytes(string, in: bytes), as: UTF8.self)
  }

  /// Passes a value; its text when it is a string.
  @_lifetime(reader: copy reader)
  static func string(_ reader: inout JSONReader) throws(ImageError) -> String? {
    guard reader.character == UInt8(ascii: "\"") else {
      try reader.skip()
      return nil
    }
    let string = try reader.string()
    return text(string, in: reader.bytes)
  }

  /// The text of an object's member that is a string; the reader stays before the object.
  static func member(_ name: String, of reader: JSONReader) throws(ImageError) -> String? {
    guard let value = try value(of: name, in: reader) else { return nil }
    var ahead = value
    return try string(&ahead)
  }

  /// A reader before the value of an object's member; nil when there is none or no object.
  @_lifetime(copy reader)
  static func value(of name: String, in reader: JSONReader) throws(ImageError) -> JSONReader? {
    var ahead = reader
    guard ahead.character == UInt8(ascii: "{"), try ahead.enterObject() else { return nil }
    repeat {
      let key = try ahead.key()
      if text(key, in: ahead.bytes) == name { return ahead }
      ahead.leap()
    } while try ahead.nextMember()
    return nil
  }
}

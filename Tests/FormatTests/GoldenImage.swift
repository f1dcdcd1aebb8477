import BatonDocuments
import BatonImage
import BatonPlan
import TestSupport

/// An image whose bytes are known: a record with a cell of each kind, found by a natural key.
struct GoldenImage {
  private let folder: TemporaryFolder
  let image: Image

  private static let schema = """
    scalar Any
    type Query { all(n: Int): All }
    type All {
      id: ID! nothing: String no: Boolean yes: Boolean whole: Int part: Float text: String
      custom: Any one: All many: [All] nested: [[Int]] lost: String wide: Int
    }
    """
  private static let document = """
    { all(n: 1) {
      id nothing no yes whole part text custom one { id } many { id } nested lost wide
    } }
    """

  private static func response(text: String, errors: String) -> String {
    """
    {"data":{"all":{"id":"A","nothing":null,"no":false,"yes":true,"whole":-2,"part":1.50,
    "text":\(text),"custom":[1],"one":{"id":"A"},"many":[{"id":"B"},null],
    "nested":[[7],null],"lost":null,"wide":70000}}\(errors)}
    """
  }

  init() throws {
    folder = try TemporaryFolder()
    image = try Image.open(path: folder.file("golden.image"))
    let schema = try Schema(sources: [Source(name: "schema", text: Self.schema)])
    let plan = try Document(Source(name: "document", text: Self.document)).plan(schema: schema)
    let errors = """
      ,"errors":[{"message":"m","path":["all","lost"]},
      {"message":"s","type":"T","path":["all","text"]}]
      """
    for response in [
      Self.response(text: #""t""#, errors: ""), Self.response(text: "null", errors: errors),
    ] {
      _ = try image.commit(Array(response.utf8).span, of: plan, variables: [:])
    }
  }

  /// The bytes of a value of the image; none when there is no such value.
  func value(_ table: ImageTable, _ key: UInt64) throws -> [UInt8] {
    let snapshot = try image.snapshot()
    guard let value = try snapshot.value(table, key) else { return [] }
    return value.copy()
  }
}

/// Bytes written as hexadecimal digits with spaces wherever they help.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }
  return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
    UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
  }
}

/// Hexadecimal digits of bytes.
func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }.joined()
}

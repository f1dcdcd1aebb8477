import Foundation
import TestSupport
import Testing

/// Responses that are refused: exit 1 with the place, and not a byte of the image changes.
@Suite(.timeLimit(.minutes(60))) struct BadInputTests {
  private static let response =
    Array(
      #"{"data":{"nodes":[{"__typename":"Book","id":"B1","title":"Caf\#u{E9}\n","pages":3.5e1,"#
        .utf8)
    + Array(#""author":{"__typename":"Author","id":"A2","name":"Bo"}}]}}"#.utf8)

  /// Commits a response that must be refused; what was said.
  private func refused(
    _ response: [UInt8], by library: Library, _ location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let before = library.bytes
    let run = try library.commit(response)
    #expect(run.status == 1, sourceLocation: location)
    #expect(run.output.isEmpty, sourceLocation: location)
    #expect(library.bytes == before, "the image changed", sourceLocation: location)
    return run.errors
  }

  @Test func `a response cut at any byte is refused with the byte`() throws {
    let library = try Library.stocked()
    for count in 0..<Self.response.count {
      let said = try refused(Array(Self.response.prefix(count)), by: library)
      #expect(said.contains("standard input: byte "), "cut at \(count): \(said)")
    }
    #expect(try library.commit(Self.response).status == 0)
  }

  @Test func `a response that is not UTF-8 is refused with the byte`() throws {
    let library = try Library.stocked()
    let place = try #require(Self.response.firstIndex(of: 0xC3))
    for (bytes, offset) in [
      ([0xC3, 0x28] as [UInt8], place), ([0xFF], place), ([0xED, 0xA0, 0x80], place),
      ([0xC0, 0xAF], place),
    ] {
      let response = Self.response[..<place] + bytes + Self.response[(place + 2)...]
      let said = try refused(Array(response), by: library)
      #expect(said.contains("byte \(offset): it is not UTF-8"), "\(said)")
    }
  }

  @Test(arguments: [0x00, 0x01, 0x0A, 0x1F] as [UInt8])
  func `a control character in a string is refused with the byte`(_ byte: UInt8) throws {
    let library = try Library.stocked()
    let place = try #require(Self.response.firstIndex(of: UInt8(ascii: "C")))
    var response = Self.response
    response[place] = byte
    let said = try refused(response, by: library)
    #expect(said.contains("byte \(place): a control character"), "\(said)")
  }

  @Test(arguments: ["[", "{\"a\":"])
  func `a response nested 10,000 deep is refused`(_ opening: String) throws {
    let library = try Library.stocked()
    let deep = String(repeating: opening, count: 10_000)
    for response in ["{\"data\":{\"nodes\":\(deep)", deep, "{\"data\":{\"other\":\(deep)"] {
      let said = try refused(Array(response.utf8), by: library)
      #expect(said.contains("byte "), "\(said)")
    }
    let closed =
      String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    let said = try refused(Array("{\"data\":{\"nodes\":\(closed)}}".utf8), by: library)
    #expect(said.contains("standard input: "), "\(said)")
  }

  @Test(arguments: [
    (#"{"data": {"nodes": [7]}}"#, "nodes.0"),
    (#"{"data": {"nodes": "none"}}"#, "nodes"),
    (#"{"data": {"nodes": [{"__typename": "Book", "id": "B1", "author": true}]}}"#, "author"),
    (#"{"data": 7}"#, "byte 9"),
    (#"{"data": []}"#, "byte 9"),
  ])
  func `a scalar where a selection was asked is refused with its path`(
    _ response: String, _ place: String
  ) throws {
    let library = try Library.stocked()
    let said = try refused(Array(response.utf8), by: library)
    #expect(said.contains(place), "\(said)")
  }

  @Test(arguments: [
    "", " ", "null", "[]", "7", "{}", #"{"data": null}"#, "<html></html>",
    #"{"data": {"nodes": []}} x"#, #"{"data": {"nodes": []}}{}"#, #"{"data": {"nodes": [}}"#,
    #"{"data": {"nodes": [nul]}}"#, #"{"data": {"nodes": [null,]}}"#,
    #"{"data": {"nodes": [{"__typename": "Book", "id": "B1", "pages": 01}]}}"#,
    #"{"data": {"nodes": [{"__typename": "Book", "id": "B1", "title": "\x"}]}}"#,
  ])
  func `what is no response is refused`(_ response: String) throws {
    let library = try Library.stocked()
    #expect(try !refused(Array(response.utf8), by: library).isEmpty)
  }

  @Test func `flipped bits of a response never kill the command`() throws {
    let library = try Library.stocked()
    var generator = SeededGenerator()
    for _ in 0..<100 {
      let damage = ByteDamage.random(in: 0..<Self.response.count, using: &generator)
      let before = library.bytes
      let run = try library.commit(damage.applied(to: Self.response))
      #expect([0, 1].contains(run.status), "\(damage)")
      if run.status != 0 { #expect(library.bytes == before, "\(damage)") }
    }
    let verify = try Command.run("verify", library.image)
    #expect(verify.status == 0, "\(verify.errors)")
  }
}

import BatonDocuments
import BatonImage
import BatonPlan
import FuzzTargets
import ImageFixtures
import Testing

/// Records whose name begins at one that was given up: sound, and nothing's to name.
@Suite struct LeftBehindTests {
  let scratch = Scratch()

  private static let mutation = "mutation Add { add { note { detail { text } } } }"

  private func commit(_ response: String, to path: String) throws {
    let plan = try Document(Source(name: "add", text: Self.mutation)).plan(operation: "Add")
    let image = try Image.open(path: path)
    _ = try image.commit(Array(response.utf8).span, of: plan)
    try image.close()
  }

  @Test func `a payload's record that nothing leads to any more ends no dump`() throws {
    let path = scratch.path("payload.image")
    try commit(
      #"{"data": {"add": {"note": {"detail": {"text": "one"}}}}}"#, to: path)
    let image = try Image.open(path: path)
    let plan = try Document(Source(name: "add", text: Self.mutation)).plan(operation: "Add")
    for response in [
      #"{"data": {"add": {"note": {"detail": {"text": "two"}}}}}"#,
      #"{"data": {"add": {"note": null}}}"#,
    ] {
      _ = try image.commit(Array(response.utf8).span, of: plan)
    }
    try image.close()
    // The next launch drops what the payload leads to, and not what it led to.
    try commit(#"{"data": {"add": {"note": null}}}"#, to: path)
    #expect(try Verifier.verify(at: path).isSound)
    let dump = String(decoding: try ImageTrial.dump(at: path), as: UTF8.self)
    #expect(!dump.contains("two"))
    #expect(try ImageTrial.run(path) == .sound)
  }
}

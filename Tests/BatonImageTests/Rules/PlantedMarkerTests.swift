import BatonImage
import BatonPlan
import Foundation
import TestSupport
import Testing

/// Random markers planted in all that is transient are in no file of an image (R7).
@Suite(.timeLimit(.minutes(60))) struct PlantedMarkerTests {
  @Test func `each kind of commit alone leaves a marker in no file`() throws {
    var generator = SeededGenerator()
    let count = Planted(using: &generator).commits.count
    for index in 0..<count {
      let planted = Planted(using: &generator)
      let image = try TestImage(planted.rules)
      try Self.commit(planted, [index], to: image)
      try image.expectSound()
    }
  }

  @Test func `random sequences of commits over launches leave a marker in no file`() throws {
    var generator = SeededGenerator()
    for _ in 0..<12 {
      let planted = Planted(using: &generator)
      let image = try TestImage(planted.rules)
      for _ in 0..<3 {
        let order = planted.commits.indices.shuffled(using: &generator)
        try Self.commit(planted, Array(order.prefix(6)), to: image)
        try image.reopen()
        try Self.expectNone(planted, in: image, "a new launch")
      }
      try image.expectSound()
    }
  }

  @Test func `without the rules each kind of commit leaves the marker`() throws {
    var generator = SeededGenerator()
    let count = Planted(using: &generator).commits.count
    for index in 0..<count {
      let planted = Planted(using: &generator)
      let image = try TestImage()
      let commit = planted.commits[index]
      try image.commit(
        parts: commit.parts, of: plan(commit.document, schema(planted.schemaText)),
        commit.variables)
      #expect(try !Self.files(with: planted.marker, in: image).isEmpty, "\(commit.document)")
    }
  }

  @Test func `a write refuses what is transient and leaves no marker`() throws {
    var generator = SeededGenerator()
    let planted = Planted(using: &generator)
    let marker = planted.marker
    let image = try TestImage(planted.rules)
    try image.commit(
      #"{"data":{"issue":{"id":"A","title":"t"}}}"#,
      of: plan("{ issue { id title } }", schema(planted.schemaText)))
    let writes: [(inout ImageEditor) throws -> Void] = [
      { editor in _ = try editor.record("\(marker)1", type: "\(marker)Type") },
      { editor in
        let query = editor.query
        try editor.set("\(marker)Root(word:\"\(marker)v\")", to: .string("\(marker)w"), on: query)
      },
      { editor in
        let issue = try editor.record("A", type: "Issue")
        try editor.set("\(marker)Own", to: .string("\(marker)w"), on: issue)
      },
      { editor in
        let issue = try editor.record("A", type: "Issue")
        try editor.addNaturalKey("\(marker)Root(word:\"\(marker)v\")", to: issue)
      },
    ]
    for write in writes {
      #expect(throws: ImageError.self) { _ = try image.image.write(named: marker, write) }
      try Self.expectNone(planted, in: image, "a write")
    }
    try image.reopen()
    try Self.expectNone(planted, in: image, "a new launch")
  }

  /// Commits each of the commits twice, reads it, and searches the files after each step.
  private static func commit(
    _ planted: Planted, _ indexes: [Int], to image: TestImage
  ) throws {
    let schema = try BatonImageTests.schema(planted.schemaText)
    for index in indexes {
      let commit = planted.commits[index]
      let compiled = try plan(commit.document, schema)
      for _ in 0..<2 {
        try image.commit(parts: commit.parts, of: compiled, commit.variables)
        try expectNone(planted, in: image, commit.document)
      }
      #expect(try !image.read(compiled, commit.variables).hasFetchTime, "\(commit.document)")
    }
    try image.reopen()
    try expectNone(planted, in: image, "a new launch")
    // A launch's first commit drops the payloads of the one before, and a later one takes their pages.
    for title in ["x", "y", "z"] {
      try image.commit(
        #"{"data":{"issue":{"id":"Z","title":"\#(title)"}}}"#,
        of: plan("{ issue { id title } }", schema))
    }
    try expectNone(planted, in: image, "later commits")
  }

  /// The names of the image's files, the lock and those of checkpoints too, that hold the marker.
  private static func files(with marker: String, in image: TestImage) throws -> [String] {
    try image.folder.contents.filter { name in
      let data = try Data(contentsOf: URL(filePath: image.folder.file(name)))
      return data.firstRange(of: Data(marker.utf8)) != nil
    }
  }

  private static func expectNone(_ planted: Planted, in image: TestImage, _ what: String) throws {
    let files = try files(with: planted.marker, in: image)
    #expect(files == [], "\(what)")
  }
}

import Foundation
import FuzzTargets
import ImageFixtures
import Testing

/// An input of a target's corpus: a seed, or one that once found something.
struct CorpusInput: CustomTestStringConvertible, Sendable {
  var target: FuzzTarget
  var file: URL

  var testDescription: String { "\(target)/\(file.lastPathComponent)" }

  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fuzz/Corpus", directoryHint: .isDirectory)

  static func all(of target: FuzzTarget) -> [CorpusInput] {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder.appending(path: target.rawValue), includingPropertiesForKeys: nil)
    return (files ?? []).sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map { CorpusInput(target: target, file: $0) }
  }
}

@Suite struct CorpusTests {
  @Test(.timeLimit(.minutes(60)), arguments: FuzzTarget.allCases.flatMap(CorpusInput.all))
  func `an input of a corpus ends without a finding`(_ input: CorpusInput) throws {
    try input.target.run(Array(Data(contentsOf: input.file)), scratch: Scratch())
  }

  @Test func `every target has a corpus, and every corpus a target`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: CorpusInput.folder.path())
    #expect(folders.sorted() == FuzzTarget.allCases.map(\.rawValue).sorted())
    for target in FuzzTarget.allCases { #expect(!CorpusInput.all(of: target).isEmpty) }
  }
}

import BatonImage
import Foundation
import LifeSupport
import TestSupport
import Testing

/// What closing an image promises.
@Suite(.timeLimit(.minutes(2)))
struct ClosingTests {
  let folder: TemporaryFolder
  var path: String { folder.file("a.image") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `after closing every call throws and no file is made again`() throws {
    let image = try Image.open(path: path)
    try image.refresh([Subject(1)])
    try image.close()
    for name in try folder.contents {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
    #expect(throws: ImageError.closed) { try image.refresh([Subject(2)]) }
    #expect(throws: ImageError.closed) { try image.title(of: "I_1") }
    #expect(throws: ImageError.closed) { try image.forget(id: "I_1") }
    #expect(throws: ImageError.closed) { try image.flush() }
    try image.close()
    #expect(try folder.contents == [])
  }
}

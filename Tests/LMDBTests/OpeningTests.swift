import Foundation
import LMDB
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `what was committed is there after the file was closed and opened again`() throws {
    let path = folder.file("image")
    let first = try Environment.open(path: path)
    let table = try first.openTables(["records"], creating: true)[0]
    try first.commit { transaction throws(LMDBError) in
      try transaction.put([1, 2, 3].span, at: 7, in: table)
    }
    try first.close()

    let second = try Environment.open(path: path)
    let again = try second.openTables(["records"], creating: false)[0]
    #expect(try second.value(at: 7, in: again) == [1, 2, 3])
    #expect(try second.value(at: 8, in: again) == nil)
  }
}

import Foundation
import LMDB
import Synchronization
import TestSupport

/// A fresh environment with one table, in a folder of its own.
struct OneTable {
  let folder: TemporaryFolder
  let environment: Environment
  let table: Table

  init() throws {
    folder = try TemporaryFolder()
    environment = try Environment.open(path: folder.file("image"))
    table = try environment.openTables(["records"], creating: true)[0]
  }
}

extension Environment {
  /// One write transaction: committed when `work` returns, aborted when it throws.
  func commit(_ work: (inout WriteTransaction) throws(LMDBError) -> Void) throws(LMDBError) {
    var transaction = try write()
    try work(&transaction)
    try transaction.commit()
  }

  /// The value at `key` in the newest commit, copied.
  func value(at key: UInt64, in table: Table) throws(LMDBError) -> [UInt8]? {
    let transaction = try read()
    if let span = try transaction.value(at: key, in: table) { return [UInt8](copying: span) }
    return nil
  }
}

extension [UInt8] {
  init(copying span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}

/// What went wrong on other threads.
private final class Failures: Sendable {
  private let list = Mutex<[String]>([])

  var all: [String] { list.withLock { $0 } }

  func note(_ work: () throws -> Void) {
    do { try work() } catch { list.withLock { $0.append("\(error)") } }
  }
}

/// Runs `work` on `count` threads at once and answers when all are done; what they threw.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) -> [String] {
  let failures = Failures()
  let done = DispatchSemaphore(value: 0)
  for number in 0..<count {
    Thread {
      failures.note { try work(number) }
      done.signal()
    }.start()
  }
  for _ in 0..<count { done.wait() }
  return failures.all
}

/// The code of the `LMDBError` that `work` throws, or nil.
func code(of work: () throws -> Void) -> LMDBError.Code? {
  do { try work() } catch { return (error as? LMDBError)?.code }
  return nil
}

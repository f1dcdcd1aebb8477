import Foundation
internal import LMDB

extension Image {
  /// Writes a copy of the newest state without its free pages into a new file.
  ///
  /// The copy appears at `path` whole: it is written under another name beside it, for the owner
  /// alone, flushed, and checked from end to end before it gets its name. Something at `path` is
  /// refused with `usage`, and a failure leaves nothing behind. Commits go on meanwhile, but the
  /// file can't reuse the pages of the state that is copied.
  ///
  /// - Returns: What the check found the copy to be: sound.
  @discardableResult
  public func copyCompacted(toPath path: String) throws(ImageError) -> VerificationReport {
    let files = FileManager.default
    guard (try? files.attributesOfItem(atPath: path)) == nil else {
      throw .usage("\(path) is there already")
    }
    let draft = path + ".new-" + String(UInt64.random(in: .min ... .max), radix: 16)
    defer { try? files.removeItem(atPath: draft) }
    try engine { () throws(LMDBError) in
      try environment.copy(toPath: draft, compacting: true)
    }
    let report = try Verifier.verify(at: draft)
    if let fault = report.faults.first { throw .damaged(fault) }
    // A link, unlike a renaming, never replaces what came there meanwhile.
    do { try files.linkItem(atPath: draft, toPath: path) } catch {
      throw .engine("\(path) can't be made: \(error.localizedDescription)")
    }
    return report
  }
}

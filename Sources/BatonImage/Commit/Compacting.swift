public import Foundation
internal import LMDB

extension Image {
  /// Writes a copy of the newest state without its free pages, and without names that nothing uses
  /// any more, into a new file.
  ///
  /// The copy appears whole: it is written under another name beside it, for the owner alone,
  /// flushed, and checked from end to end before it gets its name. Something at the place is refused
  /// with `usage`, and a failure leaves nothing behind. Commits go on meanwhile, but the file can't
  /// reuse the pages of the state that is copied.
  ///
  /// - Returns: What the check found the copy to be: sound.
  @discardableResult
  public func compact(to url: URL) throws(ImageError) -> VerificationReport {
    try copyCompacted(toPath: url.path(percentEncoded: false))
  }

  /// Compacts into a new file at a path of the file system.
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
    let lean = draft + "-lean"
    defer { try? files.removeItem(atPath: lean) }
    let isLean = try dropNames(ofCopy: draft, into: lean)
    let report = try Verifier.verify(at: isLean ? lean : draft)
    if let fault = report.faults.first { throw .damaged(fault) }
    // A link, unlike a renaming, never replaces what came there meanwhile.
    do { try files.linkItem(atPath: isLean ? lean : draft, toPath: path) } catch {
      throw .engine("\(path) can't be made: \(error.localizedDescription)")
    }
    return report
  }

  /// Copies a copy of the image again, without the names that nothing uses; false, and no file, when
  /// every name is used.
  private func dropNames(ofCopy draft: String, into path: String) throws(ImageError) -> Bool {
    guard try !snapshot().unusedNames().isEmpty else { return false }
    let files = ImageFiles(path: draft)
    defer {
      for file in [files.lock, files.checkpoint] {
        try? FileManager.default.removeItem(atPath: file)
      }
    }
    var options = Options(creates: false)
    options.allowsRemoteVolumes = self.options.allowsRemoteVolumes
    let copy = try Image.open(path: draft, options: options)
    let failure = Result { () throws(ImageError) in
      try copy.quietly { (session) throws(ImageError) in
        try session.drop(names: try session.unusedNames())
      }
      try engine { () throws(LMDBError) in
        try copy.environment.copy(toPath: path, compacting: true)
      }
    }
    try copy.close()
    try failure.get()
    return true
  }
}

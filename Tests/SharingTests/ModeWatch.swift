import Foundation
import Synchronization

/// Collects the modes that a folder's files have, as fast as it can.
final class ModeWatch: Sendable {
  private let found = Mutex<Set<Int>>([])
  private let isEnded = Atomic<Bool>(false)

  var modes: Set<Int> { found.withLock { $0 } }

  func run(_ folder: String) {
    while !isEnded.load(ordering: .acquiring) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names {
        // A name may have gone by now.
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder + name)
        guard let mode = attributes?[.posixPermissions] as? Int else { continue }
        _ = found.withLock { $0.insert(mode) }
      }
    }
  }

  func end() { isEnded.store(true, ordering: .releasing) }
}

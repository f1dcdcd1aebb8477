internal import Foundation
internal import LMDB
internal import Synchronization

/// A note in the checkpoint file that this process is about to open the image and to read it for the
/// first time, which a crash would leave behind.
///
/// It is gone with the last reference, or when the process ends by itself. Whoever finds the note of
/// a process that is dead checks the whole file, and after the engine's opening was fatal three times
/// gives the file up.
final class OpeningMark: Sendable {
  private let image: String
  private let entry: Int
  private let process = Platform.processID

  /// What the entries of dead openers say.
  struct Deaths {
    var places: [Int] = []
    /// How often in a row the engine's opening was the end.
    var inOpening = 0
  }

  /// Deaths in a row after which a file is given up, sound as it may look.
  static let limit = 3

  private enum Stage {
    static let none: UInt32 = 0
    static let opening: UInt32 = 1
    static let reading: UInt32 = 2
  }

  /// Writes the note; nil where it can't be written.
  init?(in file: CheckpointFile, of image: String, boot: [UInt8], after deaths: Deaths) {
    self.image = image
    entry = deaths.places.first ?? Int(process) % CheckpointLayout.markCount
    for place in deaths.places.dropFirst() { Self.clear(file, place) }
    var mark: [UInt8] = []
    mark.append(u32: UInt32(bitPattern: process))
    mark.append(u32: UInt32(deaths.inOpening))
    mark.append(u32: Stage.opening)
    mark.append(u32: 0)
    mark += boot
    do throws(LMDBError) { try file.write(mark, at: Self.offset(of: entry)) } catch { return nil }
    let note = Live(mark: ObjectIdentifier(self), image: image, entry: entry)
    Self.live.withLock { $0.append(note) }
    _ = Self.atExit
  }

  /// The engine has opened the file: what is left is the first read.
  func noteOpened(in file: CheckpointFile) {
    var stage: [UInt8] = []
    stage.append(u32: Stage.reading)
    try? file.write(stage, at: Self.offset(of: entry) + CheckpointLayout.markStage)
  }

  deinit {
    // In a forked child the note is the parent's.
    guard process == Platform.processID else { return }
    let mark = ObjectIdentifier(self)
    Self.live.withLock { $0.removeAll { $0.mark == mark } }
    Self.clear(image, entry)
  }

  /// The dead openers that the file's bytes tell of.
  static func deaths(in bytes: [UInt8], boot: [UInt8]) -> Deaths {
    var deaths = Deaths()
    for entry in 0..<CheckpointLayout.markCount {
      let offset = offset(of: entry)
      guard offset + CheckpointLayout.markSize <= bytes.count else { break }
      let span = bytes.span.extracting(offset..<offset + CheckpointLayout.markSize)
      let process = Int32(bitPattern: span.u32(at: CheckpointLayout.markProcess))
      guard process != 0, span.extracting(CheckpointLayout.markBoot...).isEqual(to: boot.span),
        process == Platform.processID || !Platform.isAlive(process)
      else { continue }
      deaths.places.append(entry)
      if span.u32(at: CheckpointLayout.markStage) == Stage.opening {
        let before = Int(span.u32(at: CheckpointLayout.markCountOfDeaths))
        deaths.inOpening = max(deaths.inOpening, min(before, limit) + 1)
      }
    }
    return deaths
  }

  private static func offset(of entry: Int) -> Int {
    CheckpointLayout.marks + entry * CheckpointLayout.markSize
  }

  private static func clear(_ file: CheckpointFile, _ entry: Int) {
    try? file.write(
      [UInt8](repeating: 0, count: CheckpointLayout.markSize), at: offset(of: entry))
  }

  private static func clear(_ image: String, _ entry: Int) {
    guard let file = try? CheckpointFile.open(of: image, writing: true) else { return }
    clear(file, entry)
  }

  // MARK: A process that ends by itself

  private struct Live {
    let mark: ObjectIdentifier
    let image: String
    let entry: Int
  }

  private static let live = Mutex<[Live]>([])

  private static let atExit: Void = {
    atexit { OpeningMark.clearAll() }
  }()

  private static func clearAll() {
    let marks = live.withLockIfAvailable { $0 } ?? []
    for mark in marks { clear(mark.image, mark.entry) }
  }
}

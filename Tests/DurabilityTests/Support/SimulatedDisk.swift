import Foundation
import TestSupport

/// A disk that is told what a process does, knows what of it was flushed, and can lose the rest.
struct SimulatedDisk {
  private struct File {
    /// What is on the medium for certain.
    var flushed: [UInt8] = []
    var pending: [(offset: Int, bytes: ArraySlice<UInt8>)] = []
    /// How much was pending when the flushes under way began.
    var begun: [Int] = []
  }

  private enum NameChange {
    case set(String, UInt32)
    case removed(String)
  }

  private let folder: String
  private var files: [UInt32: File] = [:]
  private var names: [String: UInt32] = [:]
  private var flushedNames: [String: UInt32] = [:]
  private var pendingNames: [NameChange] = []
  private var folders: Set<UInt32> = []
  private var namesBegun: [Int] = []

  /// How a power cut treats what was not flushed.
  enum Loss: CaseIterable {
    /// All of it is gone.
    case everything
    /// Nothing is: the disk was faster than it had to be.
    case nothing
    /// Each page is as it was at some time since the flush, or zero, or torn between sectors.
    case mixed
  }

  /// A disk with the files of a folder, flushed.
  init(folder: String) throws {
    self.folder = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let path = self.folder + "/" + name
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let number = UInt32(truncatingIfNeeded: attributes[.systemFileNumber] as? Int ?? 0)
      files[number] = File(flushed: [UInt8](try Data(contentsOf: URL(filePath: path))))
      names[path] = number
    }
    flushedNames = names
  }

  mutating func apply(_ event: FlushRecord.Event) {
    switch event {
    case .write(let file, let offset, let bytes):
      files[file, default: File()].pending.append((offset, bytes))
    case .flushBegins(let file):
      if folders.contains(file) { return namesBegun.append(pendingNames.count) }
      files[file, default: File()].begun.append(files[file]?.pending.count ?? 0)
    case .flushed(let file):
      if folders.contains(file) { return flushNames() }
      flush(file)
    case .size:
      break  // Lock files alone are set to a size.
    case .opened(let file, let path, _):
      if path == folder { folders.insert(file) }
      if path != folder, names[path] != file { change(.set(path, file)) }
    case .removed(let path): change(.removed(path))
    case .renamed(let from, let to):
      if let file = names[from] { change(.set(to, file)) }
      change(.removed(from))
    case .linked(let from, let to):
      if let file = names[from] { change(.set(to, file)) }
    case .hole(let file, let offset, let count):
      let zeros = [UInt8](repeating: 0, count: count)
      files[file, default: File()].pending.append((offset, zeros[...]))
    case .line: break
    }
  }

  private mutating func change(_ change: NameChange) {
    Self.apply(change, to: &names)
    pendingNames.append(change)
  }

  private static func apply(_ change: NameChange, to names: inout [String: UInt32]) {
    switch change {
    case .set(let path, let file): names[path] = file
    case .removed(let path): names[path] = nil
    }
  }

  private mutating func flushNames() {
    guard !namesBegun.isEmpty else { return }
    let count = namesBegun.removeFirst()
    for change in pendingNames.prefix(count) { Self.apply(change, to: &flushedNames) }
    pendingNames.removeFirst(count)
    namesBegun = namesBegun.map { max(0, $0 - count) }
  }

  private mutating func flush(_ number: UInt32) {
    guard var file = files[number], !file.begun.isEmpty else { return }
    let count = file.begun.removeFirst()
    for write in file.pending.prefix(count) { Self.apply(write, to: &file.flushed) }
    file.pending.removeFirst(count)
    file.begun = file.begun.map { max(0, $0 - count) }
    files[number] = file
  }

  private static func apply(
    _ write: (offset: Int, bytes: ArraySlice<UInt8>), to content: inout [UInt8]
  ) {
    let end = write.offset + write.bytes.count
    if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
    content.replaceSubrange(write.offset..<end, with: write.bytes)
  }

  // MARK: The cut

  /// Writes what is left after a power cut into another folder.
  func cut(_ loss: Loss, into folder: String, using generator: inout SeededGenerator) throws {
    var names = flushedNames
    let kept: Int
    switch loss {
    case .everything: kept = 0
    case .nothing: kept = pendingNames.count
    case .mixed: kept = Int.random(in: 0...pendingNames.count, using: &generator)
    }
    for change in pendingNames.prefix(kept) { Self.apply(change, to: &names) }
    for (path, number) in names.sorted(by: { $0.key < $1.key }) {
      let content = files[number].map { left(of: $0, loss, &generator) } ?? []
      let name = URL(filePath: path).lastPathComponent
      // Of the lock file anything may be left.
      let bytes = name.hasSuffix("-lock") ? generator.bytes(count: 8192) : content
      try Data(bytes).write(to: URL(filePath: folder + "/" + name))
    }
  }

  private func left(
    of file: File, _ loss: Loss, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    if loss == .everything { return file.flushed }
    var whole = file.flushed
    for write in file.pending { Self.apply(write, to: &whole) }
    if loss == .nothing { return whole }
    let size = Int.random(in: file.flushed.count...whole.count, using: &generator)
    var content = file.flushed
    content += [UInt8](repeating: 0, count: whole.count - content.count)
    let block = 4096
    let touched = Set(
      file.pending.flatMap { write in
        write.offset / block...(write.offset + write.bytes.count - 1) / block
      })
    for number in touched.sorted() {
      let range = number * block..<min(whole.count, (number + 1) * block)
      let versions = self.versions(of: range, content, file, &generator)
      let sectors = generator.oneIn(4) ? 512 : block
      for start in stride(from: range.lowerBound, to: range.upperBound, by: sectors) {
        let version = versions.randomElement(using: &generator) ?? Array(content[range])
        let end = min(start + sectors, range.upperBound)
        content.replaceSubrange(
          start..<end, with: version[start - range.lowerBound..<end - range.lowerBound])
      }
    }
    content.removeLast(content.count - size)
    return content
  }

  /// What a page may be: as flushed, as after each write, as after the last without those before
  /// it, or zero.
  private func versions(
    of range: Range<Int>, _ content: [UInt8], _ file: File, _ generator: inout SeededGenerator
  ) -> [[UInt8]] {
    var current = Array(content[range])
    var versions = [current, [UInt8](repeating: 0, count: range.count)]
    let old = current
    for write in file.pending {
      let end = write.offset + write.bytes.count
      guard write.offset < range.upperBound, end > range.lowerBound else { continue }
      var alone = old
      for place in max(range.lowerBound, write.offset)..<min(range.upperBound, end) {
        let byte = write.bytes[write.bytes.startIndex + place - write.offset]
        current[place - range.lowerBound] = byte
        alone[place - range.lowerBound] = byte
      }
      versions.append(current)
      versions.append(alone)
    }
    return versions
  }
}

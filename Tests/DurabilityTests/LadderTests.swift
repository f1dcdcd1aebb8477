import BatonImage
import BatonPlan
import DurabilitySupport
import Foundation
import ImageFixtures
import LMDB
import TestSupport
import Testing

/// What opening does with files that are not as they were left.
@Suite(.timeLimit(.minutes(60)))
struct LadderTests {
  @Test func `an image that was closed is opened without a check`() throws {
    let disk = try ImageOnDisk()
    for _ in 0..<2 {
      let image = try disk.open()
      #expect(image.opening == OpeningReport(opened: false))
      #expect(try Workload.state(of: image) == 120)
      try image.close()
    }
  }

  @Test func `a byte that somebody changed costs the image at most, and never the process`() throws
  {
    var generator = SeededGenerator()
    let disk = try ImageOnDisk(commits: 40)
    let sound = try disk.bytes
    var outcomes: [String: Int] = [:]
    for _ in 0..<200 {
      let offset = Int.random(in: sound.indices, using: &generator)
      let damage = ByteDamage.flip(offset: offset, mask: 1 << UInt8.random(in: 0..<8))
      try disk.replace(damage.applied(to: sound))
      let image: Image
      do throws(ImageError) {
        image = try disk.open()
      } catch {
        // Without its table of tables nothing tells that it was an image: it is left as it is.
        guard case .foreign = error else { throw error }
        #expect(try disk.bytes == damage.applied(to: sound))
        continue
      }
      #expect(image.opening.wasVerified || image.opening.setAside != nil)
      outcomes["\(image.opening.outcome)".prefix(9).description, default: 0] += 1
      try image.exercise()
      try image.close()
      if let aside = image.opening.setAside { try FileManager.default.removeItem(atPath: aside) }
    }
    #expect(outcomes["discarded"] ?? 0 > 20)
    #expect(try disk.strangers == [])
  }

  @Test func `an image cut at any page is set aside, and a fresh one takes its place`() throws {
    let disk = try ImageOnDisk(commits: 40)
    let sound = try disk.bytes
    let sizes = Array(stride(from: 4096, to: sound.count, by: 4096)) + [1, 100, 4095, 9001]
    for size in sizes {
      try disk.replace(Array(sound.prefix(size)))
      let image: Image
      do throws(ImageError) {
        image = try disk.open()
      } catch {
        // Without a whole meta page nothing tells that it was an image.
        guard case .foreign = error, size < 4096 else { throw error }
        try FileManager.default.removeItem(atPath: disk.path)
        continue
      }
      guard case .discarded(.damaged) = image.opening.outcome else {
        Issue.record("cut at \(size): \(image.opening)")
        continue
      }
      try image.exercise()
      try image.close()
      try FileManager.default.removeItem(atPath: try #require(image.opening.setAside))
    }
  }

  @Test func `a meta page that is lost is written anew from the other`() throws {
    for page in 0..<2 {
      let disk = try ImageOnDisk(commits: 41)
      var bytes = try disk.bytes
      for index in page * 4096..<(page + 1) * 4096 { bytes[index] = 0 }
      try disk.replace(bytes)
      let image = try disk.open()
      #expect(image.opening.outcome == .repaired)
      #expect(try Workload.state(of: image) == 41)
      try image.exercise()
      try image.close()
      #expect(try Verifier.verify(at: disk.path).isSound)
    }
  }

  @Test func `with both meta pages lost the checkpoint has the state`() throws {
    let disk = try ImageOnDisk(commits: 41)
    var bytes = try disk.bytes
    for index in 0..<2 * 4096 { bytes[index] = 0 }
    try disk.replace(bytes)
    let image = try disk.open()
    #expect(image.opening.outcome == .repaired || image.opening.outcome == .recovered)
    #expect(try Workload.state(of: image) == 41)
    try image.close()
  }

  @Test func `a file that is no image is left as it is, and nothing is made beside it`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    for text in ["some text", String(repeating: "text ", count: 10_000)] {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      for policy in [Image.DamagePolicy.discard, .salvage] {
        var options = Image.Options()
        options.onDamage = policy
        #expect(throws: ImageError.self) { try Image.open(path: path, options: options) }
      }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      #expect(try folder.contents == ["image"])
    }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: ImageError.self) { try Image.open(path: path) }
    #expect(try folder.contents == ["image"])
  }

  @Test func `another program's file of the engine is left as it is`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    let other = try Environment.open(path: path)
    _ = try other.openTables(["theirs"], creating: true)
    try other.close()
    try FileManager.default.removeItem(atPath: path + "-lock")
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(throws: ImageError.self) { try Image.open(path: path) }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(try folder.contents == ["image"])
  }

  @Test func `an empty file becomes an image, and for a reader it is none`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("image")
    #expect(FileManager.default.createFile(atPath: path, contents: Data()))
    let error = #expect(throws: ImageError.self) {
      try Image.open(path: path, options: .init(isReadOnly: true))
    }
    if case .notFound = error {} else { Issue.record("\(String(describing: error))") }
    let image = try Image.open(path: path)
    #expect(image.opening.outcome == .made)
    try image.exercise()
    try image.close()
  }

  @Test func `an image of a newer format is refused or set aside, as the policy says`() throws {
    let disk = try ImageOnDisk(commits: 3)
    try HeaderRewriting.set(formatVersion: 3, of: disk.path)
    let before = try disk.bytes
    let error = #expect(throws: ImageError.self) { try disk.open() }
    if case .incompatible = error {} else { Issue.record("\(String(describing: error))") }
    #expect(throws: ImageError.self) {
      try disk.open { $0.onDamage = .salvage }
    }
    #expect(try disk.bytes == before)
    #expect(try disk.strangers == [])
    let image = try disk.open { $0.onIncompatible = .discard }
    guard case .discarded(.incompatible) = image.opening.outcome else {
      Issue.record("\(image.opening)")
      return
    }
    let aside = try #require(image.opening.setAside)
    #expect([UInt8](try Data(contentsOf: URL(filePath: aside))) == before)
    #expect(try Workload.mark(in: image) == 0)
    try image.exercise()
    try image.close()
  }

  @Test func `another account's image is refused whatever the policy`() throws {
    let folder = try TemporaryFolder()
    try Image.open(path: folder.file("image"), options: .init(account: "a")).close()
    var options = Image.Options(account: "b")
    options.onIncompatible = .discard
    let error = #expect(throws: ImageError.self) {
      try Image.open(path: folder.file("image"), options: options)
    }
    if case .incompatible = error {} else { Issue.record("\(String(describing: error))") }
    #expect(try folder.contents.filter { $0.contains("incompatible") } == [])
  }

  @Test func `refusing damage leaves everything as it was`() throws {
    let disk = try ImageOnDisk()
    var bytes = try disk.bytes
    for index in 3 * 4096..<bytes.count { bytes[index] = 0xA5 }
    try disk.replace(bytes)
    for isReadOnly in [false, true] {
      let error = #expect(throws: ImageError.self) {
        try disk.open {
          $0.onDamage = isReadOnly ? .discard : .refuse
          $0.isReadOnly = isReadOnly
        }
      }
      if case .damaged = error {} else { Issue.record("\(String(describing: error))") }
      #expect(try disk.bytes == bytes)
    }
    #expect(try disk.strangers == [])
  }

  @Test func `what is set aside keeps its owner and mode`() throws {
    let disk = try ImageOnDisk()
    var bytes = try disk.bytes
    for index in 3 * 4096..<bytes.count { bytes[index] = 0xA5 }
    try disk.replace(bytes)
    var wanted: [FileAttributeKey: Any] = [.posixPermissions: 0o640]
    if geteuid() == 0 { wanted[.ownerAccountID] = 1234 }
    try FileManager.default.setAttributes(wanted, ofItemAtPath: disk.path)
    let image = try disk.open()
    let aside = try #require(image.opening.setAside)
    let found = try FileManager.default.attributesOfItem(atPath: aside)
    #expect(found[.posixPermissions] as? Int == 0o640)
    if geteuid() == 0 { #expect(found[.ownerAccountID] as? Int == 1234) }
    let fresh = try FileManager.default.attributesOfItem(atPath: disk.path)
    #expect(fresh[.posixPermissions] as? Int == 0o600)
    try image.close()
  }

  @Test func `an untrusted image is checked whole, a trusted one not even when it was copied`()
    throws
  {
    let disk = try ImageOnDisk()
    let untrusted = try disk.open { $0.trust = .untrusted }
    #expect(untrusted.opening.wasVerified)
    try untrusted.close()
    let copy = disk.folder.file("copy")
    try FileManager.default.copyItem(atPath: disk.path, toPath: copy)
    var options = Image.Options(isReadOnly: true)
    options.trust = .trusted
    let trusted = try Image.open(path: copy, options: options)
    #expect(!trusted.opening.wasVerified)
    try trusted.close()
    #expect(try Image.open(path: copy, options: .init(isReadOnly: true)).opening.wasVerified)
    // Once it was checked by a writer, that is known.
    let first = try Image.open(path: copy)
    #expect(first.opening.wasVerified)
    try first.close()
    let second = try Image.open(path: copy)
    #expect(!second.opening.wasVerified)
    try second.close()
  }

  @Test func `an older copy in the image's place is taken for what it is`() throws {
    let disk = try ImageOnDisk(commits: 20)
    let old = try disk.bytes
    let image = try disk.open()
    for number in 21...60 { try Workload.commit(number, to: image) }
    try image.close()
    try disk.replace(old)
    for boot in [nil, [UInt8](repeating: 7, count: 16)] {
      let image = try disk.open {
        $0.internals.boot = boot
        $0.onDamage = .refuse
      }
      #expect(try Workload.state(of: image) == 20)
      try image.close()
    }
    let again = try disk.open()
    try Workload.commit(21, to: again)
    try again.close()
    #expect(try Verifier.verify(at: disk.path).isSound)
  }

  @Test func `a checkpoint of another image is not followed`() throws {
    let disk = try ImageOnDisk(commits: 20)
    let other = try ImageOnDisk(commits: 90)
    try FileManager.default.removeItem(atPath: disk.path + "-checkpoint")
    try FileManager.default.copyItem(
      atPath: other.path + "-checkpoint", toPath: disk.path + "-checkpoint")
    let image = try disk.open {
      $0.internals.boot = [UInt8](repeating: 9, count: 16)
      $0.onDamage = .refuse
    }
    #expect(image.opening.wasVerified)
    #expect(try Workload.state(of: image) == 20)
    try image.close()
  }

  @Test func `an image without a checkpoint is checked once and has one then`() throws {
    let disk = try ImageOnDisk(commits: 20)
    try FileManager.default.removeItem(atPath: disk.path + "-checkpoint")
    let image = try disk.open()
    #expect(image.opening.wasVerified)
    try image.close()
    let again = try disk.open()
    #expect(!again.opening.wasVerified)
    #expect(try Workload.state(of: again) == 20)
    try again.close()
  }

  @Test func `a copy of the header is taken of the image's own record alone`() throws {
    let disk = try ImageOnDisk(commits: 20)
    let path = disk.path + "-checkpoint"
    let sound = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let place = CheckpointLayout.header
    let size = Int(sound.span.u32(at: CheckpointLayout.headerSize))
    let whole = CheckpointLayout.headerSize..<place + size
    let header = try Header(sound.span.extracting(place..<place + size))
    var other = header
    other.imageId = [UInt8](repeating: 1, count: 16)
    var otherPages = header
    otherPages.pageSize = 0
    var copies: [[UInt8]] = [other, otherPages].map { $0.encoded() }
    // Changed, and no more sealed.
    copies.append(Array(sound[place..<place + size]))
    copies[2][HeaderLayout.created] ^= 1
    for size in [0, 3, size, 3000, Int(UInt32.max)] {
      for copy in copies {
        var bytes = sound
        bytes.replaceSubrange(place..<place + copy.count, with: copy)
        for index in 0..<4 {
          bytes[CheckpointLayout.headerSize + index] = UInt8(
            truncatingIfNeeded: size >> (8 * index))
        }
        try Data(bytes).write(to: URL(filePath: path))
        let image = try disk.open()
        #expect(image.opening == OpeningReport(opened: false))
        #expect(image.header == header)
        #expect(try Workload.state(of: image) == 20)
        try image.close()
        // Which leaves a copy that is right.
        let left = try [UInt8](Data(contentsOf: URL(filePath: path)))
        #expect(left[whole] == sound[whole])
      }
    }
  }
}

extension OpeningReport {
  /// A report of nothing special.
  init(opened wasVerified: Bool) { self.init(.opened, wasVerified: wasVerified) }
}

extension ImageOnDisk {
  /// Writes a value past the library.
  func put(_ value: [UInt8], at key: UInt64, in name: String) throws {
    let environment = try Environment.open(path: path)
    let table = try environment.openTables([name], creating: false)[0]
    var transaction = try environment.write()
    try transaction.put(value.span, at: key, in: table)
    try transaction.commit()
    try environment.close()
  }
}

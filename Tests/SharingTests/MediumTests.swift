#if os(Linux)
  import BatonImage
  import DurabilitySupport
  import Foundation
  import TestSupport
  import Testing

  /// Media that are full or can't be written to, and other users; each in a process of its own.
  @Suite(.enabled(if: geteuid() == 0, "mounting and other users take root"))
  struct MediumTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a full disk keeps the last commit, and writing goes on when there is room`()
      async throws
    {
      await #expect(processExitsWith: .success) { [path = folder.path as String] in
        guard MemoryDisk.mount(at: path, megabytes: 8) else { return }
        let filler = path + "/filler"
        try Data(count: 2 << 20).write(to: URL(filePath: filler))
        let image = try Image.open(path: path + "/image")
        var last = 0
        var failure: ImageError?
        do {
          for number in 1...100_000 {
            try Workload.fill(number * 100..<number * 100 + 100, of: image)
            try Workload.mark(number, in: image)
            last = number
          }
        } catch { failure = error as? ImageError }
        #expect(failure == .diskFull)
        #expect(last > 3)
        // A full disk stays one, however often it is tried, and reading goes on.
        for _ in 0..<3 {
          #expect(throws: ImageError.diskFull) {
            try Workload.fill(20_000_000..<20_010_000, of: image)
          }
          #expect(try Workload.mark(in: image) == last)
        }
        try FileManager.default.removeItem(atPath: filler)
        try Workload.mark(last + 1, in: image)
        #expect(try Workload.mark(in: image) == last + 1)
        try image.close()
        let report = try Verifier.verify(at: path + "/image")
        #expect(report.isSound, "\(report.faults)")
        let again = try Image.open(path: path + "/image")
        #expect(again.opening.outcome == .opened)
        #expect(try Workload.mark(in: again) == last + 1)
        try again.close()
      }
    }

    @Test func `a disk without room for a new image leaves nothing of one`() async throws {
      await #expect(processExitsWith: .success) { [path = folder.path as String] in
        guard MemoryDisk.mount(at: path, megabytes: 1) else { return }
        try? Data(count: 2 << 20).write(to: URL(filePath: path + "/filler"))
        // Foundation may have given up at once: fill what is left.
        _ = FileManager.default.createFile(atPath: path + "/filler", contents: nil)
        let handle = try FileHandle(forWritingTo: URL(filePath: path + "/filler"))
        while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
        #expect(throws: ImageError.diskFull) { try Image.open(path: path + "/image") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["filler"])
      }
    }

    @Test func `an image on a medium that can't be written to is read, and refuses a writer`()
      async throws
    {
      await #expect(processExitsWith: .success) { [path = folder.path as String] in
        guard MemoryDisk.mount(at: path, megabytes: 8) else { return }
        let image = try Image.open(path: path + "/image")
        try Workload.mark(1, in: image)
        try image.close()
        #expect(MemoryDisk.forbidWriting(at: path))
        for name in ["image", "new"] {
          let error = #expect(throws: ImageError.self) { try Image.open(path: path + "/" + name) }
          if case .unavailable = error {} else { Issue.record("\(String(describing: error))") }
        }
        let reader = try Image.open(path: path + "/image", options: .init(isReadOnly: true))
        #expect(try Workload.mark(in: reader) == 1)
        #expect(throws: ImageError.self) { try Workload.mark(2, in: reader) }
        try reader.close()
        #expect(try Verifier.verify(at: path + "/image").isSound)
      }
    }

    @Test func `another user gets no access, and changes nothing`() async throws {
      await #expect(processExitsWith: .success) { [path = folder.path as String] in
        let image = try Image.open(path: path + "/image")
        try Workload.mark(1, in: image)
        try image.close()
        let before = try Data(contentsOf: URL(filePath: path + "/image"))
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        let status = try Fork.child {
          guard setgid(65_534) == 0, setuid(65_534) == 0 else { return false }
          for isReadOnly in [false, true] {
            do {
              _ = try Image.open(path: path + "/image", options: .init(isReadOnly: isReadOnly))
              return false
            } catch ImageError.unavailable {
            } catch { return false }
          }
          return true
        }
        #expect(status == 0)
        #expect(try Data(contentsOf: URL(filePath: path + "/image")) == before)
        let known = ["image", "image-checkpoint", "image-lock"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == known)
        let again = try Image.open(path: path + "/image")
        #expect(again.opening.outcome == .opened)
        try again.close()
      }
    }
  }
#endif

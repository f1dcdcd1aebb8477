import Foundation
import LMDB
import TestSupport
import Testing

#if os(Linux)
  /// Disks that are full, limited or can't be written to, each in a process of its own.
  @Suite(.timeLimit(.minutes(60)))
  struct MediumTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func fill(_ environment: Environment, _ table: Table) throws -> Int {
      let value = [UInt8](repeating: 1, count: 10_000)
      for key in 0..<10_000 {
        do {
          try environment.commit { transaction throws(LMDBError) in
            try transaction.put(value.span, at: UInt64(key), in: table)
          }
        } catch {
          guard [.noSpace, .fileTooLarge].contains(error.code) else { throw error }
          return key
        }
      }
      return 10_000
    }

    @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
    func `a full disk is an error with a name, and writing goes on when there is room`()
      async throws
    {
      let path = folder.path
      await #expect(processExitsWith: .success) { [path = path as String] in
        guard MemoryDisk.mount(at: path, megabytes: 4) else { return }
        let filler = path + "/filler"
        try Data(count: 1 << 20).write(to: URL(filePath: filler))
        let environment = try Environment.open(path: path + "/image")
        let table = try environment.openTables(["records"], creating: true)[0]
        let count = try MediumTests.fill(environment, table)
        #expect(count > 10 && count < 500)
        #expect(try environment.read().statistics(of: table).entries == count)
        try FileManager.default.removeItem(atPath: filler)
        try environment.commit { transaction throws(LMDBError) in
          try transaction.put([UInt8](repeating: 2, count: 50_000).span, at: 20_000, in: table)
        }
        #expect(try environment.value(at: 20_000, in: table)?.count == 50_000)
        #expect(try environment.read().statistics(of: table).entries == count + 1)
        // A file that can't be made leaves nothing.
        _ = try MediumTests.fill(environment, table)
        try? Data(count: 4 << 20).write(to: URL(filePath: filler))
        let error = #expect(throws: LMDBError.self) {
          try Environment.open(path: path + "/second")
        }
        #expect(error?.code == .noSpace)
        let left = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(left.filter { $0.hasPrefix("second") } == [])
      }
    }

    @Test func `a limit on the file's size is an error with a name`() async throws {
      let path = folder.file("image")
      await #expect(processExitsWith: .success) { [path = path as String] in
        signal(SIGXFSZ, SIG_IGN)
        let environment = try Environment.open(path: path)
        let table = try environment.openTables(["records"], creating: true)[0]
        var limit = rlimit(rlim_cur: 1 << 20, rlim_max: rlim_t.max)
        // SAFETY: the structure is read before the call returns.
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let count = try MediumTests.fill(environment, table)
        #expect(count > 10 && count < 200)
        #expect(try environment.read().statistics(of: table).entries == count)
        limit.rlim_cur = rlim_t.max
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        try environment.commit { transaction throws(LMDBError) in
          try transaction.put([2].span, at: 20_000, in: table)
        }
        #expect(try environment.read().statistics(of: table).entries == count + 1)
      }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
    func `a medium that can't be written to is read, and refuses a writer by name`() async throws {
      let path = folder.path
      await #expect(processExitsWith: .success) { [path = path as String] in
        guard MemoryDisk.mount(at: path, megabytes: 4) else { return }
        let image = path + "/image"
        let environment = try Environment.open(path: image)
        let table = try environment.openTables(["records"], creating: true)[0]
        try environment.commit { transaction throws(LMDBError) in
          try transaction.put([1].span, at: 1, in: table)
        }
        try environment.close()
        #expect(MemoryDisk.forbidWriting(at: path))
        #expect(code { _ = try Environment.open(path: image) } == .readOnlyFileSystem)
        #expect(code { _ = try Environment.open(path: path + "/new") } == .readOnlyFileSystem)
        let reader = try Environment.open(path: image, options: .init(isReadOnly: true))
        let records = try reader.openTables(["records"], creating: false)[0]
        #expect(try reader.value(at: 1, in: records) == [1])
        #expect(code { _ = try reader.write() } == .readOnly)
      }
    }

    @Test func `a mask that takes every right leaves the owner his`() async throws {
      let path = folder.file("image")
      await #expect(processExitsWith: .success) { [path = path as String] in
        umask(0o777)
        let environment = try Environment.open(path: path)
        for name in [path, path + "-lock"] {
          let attributes = try FileManager.default.attributesOfItem(atPath: name)
          #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        try environment.close()
      }
    }

    @Test func `a relative path means the folder it was opened in`() async throws {
      let path = folder.path
      await #expect(processExitsWith: .success) { [path = path as String] in
        // SAFETY: the C strings live until the calls return.
        #expect(unsafe chdir(path) == 0)
        let first = try Environment.open(path: "image")
        let name = URL(filePath: path).lastPathComponent
        let second = try Environment.open(path: "../\(name)/image")
        #expect(first.sharesFile(with: second))
        #expect(unsafe chdir("/") == 0)
        #expect(try Environment.open(path: path + "/image").sharesFile(with: first))
      }
    }

    @Test(.enabled(if: !Sanitizers.isAny, "a sanitizer takes more addresses than this allows"))
    func `few addresses make a small map, and growing past them fails without loss`()
      async throws
    {
      let path = folder.file("image")
      await #expect(processExitsWith: .success) { [path = path as String] in
        var limit = rlimit(rlim_cur: 4 << 30, rlim_max: rlim_t.max)
        // SAFETY: the structure is read before the call returns.
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        let environment = try Environment.open(path: path)
        let table = try environment.openTables(["records"], creating: true)[0]
        let size = try environment.statistics().mapSize
        #expect(size < 4 << 30 && size >= 1 << 20)
        #expect(code { try environment.grow(to: 8 << 30) } == .outOfMemory)
        try environment.commit { transaction throws(LMDBError) in
          try transaction.put([1].span, at: 1, in: table)
        }
        #expect(try environment.value(at: 1, in: table) == [1])
      }
    }
  }
#endif

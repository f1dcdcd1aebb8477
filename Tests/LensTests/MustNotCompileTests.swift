import Foundation
import TestSupport
import Testing

/// Programs that the compiler must refuse: each names the diagnostic it is refused with in its first
/// line, and compiles once the line marked `// refused` is left out.
@Suite(.serialized) struct MustNotCompileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "MustNotCompile")
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static var programs: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    return names.filter { $0.hasSuffix(".txt") && !$0.hasPrefix("_") }.sorted()
  }

  /// Where the modules of this build lie: beside the test bundle.
  private static var products: URL {
    Bundle.allBundles.map(\.bundleURL).first { $0.lastPathComponent.hasSuffix(".xctest") }?
      .deletingLastPathComponent()
      ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  }

  @Test func `there are twelve programs or more, and each names its diagnostic`() throws {
    #expect(Self.programs.count >= 12)
    for name in Self.programs {
      let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
      let first = text.split(separator: "\n").first ?? ""
      #expect(first.hasPrefix(Self.naming) && first.count > Self.naming.count + 8, "\(name)")
      #expect(text.contains("// refused\n"), "\(name)")
    }
  }

  private static let naming = "// refused with: "

  @Test(.timeLimit(.minutes(60)), arguments: programs)
  func `a program that would outlive its snapshot is refused, with the diagnostic it names`(
    _ name: String
  ) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    let prelude = try String(
      contentsOf: Self.folder.appending(path: "_prelude.txt"), encoding: .utf8)
    let first = try #require(text.split(separator: "\n").first)
    let diagnostic = first.dropFirst(Self.naming.count)
    let refused = try compile(prelude + text)
    #expect(refused.contains(diagnostic), "\(refused)")
    let rest = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasSuffix("// refused") }.joined(separator: "\n")
    #expect(try compile(prelude + rest) == "")
  }

  /// The errors a program is refused with; empty when it compiles.
  private func compile(_ text: String) throws -> String {
    let folder = try TemporaryFolder()
    let source = folder.file("program.swift")
    try text.write(toFile: source, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let products = Self.products.path()
    process.arguments = [
      "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", products + "/Modules",
    ]
    for map in [
      Self.root.path() + "/Sources/CLMDB/module.modulemap",
      products + "/CSimdjson.build/module.modulemap", products + "/CXXHash.build/module.modulemap",
    ] {
      process.arguments! += ["-Xcc", "-fmodule-map-file=" + map]
    }
    process.arguments!.append(source)
    // A file, not a pipe: a process that another test starts meanwhile would hold the pipe open.
    let errors = folder.file("errors")
    try Data().write(to: URL(filePath: errors))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let lines = try String(contentsOfFile: errors, encoding: .utf8).split(separator: "\n")
    return lines.filter { $0.contains("error:") }.joined(separator: "\n")
  }
}

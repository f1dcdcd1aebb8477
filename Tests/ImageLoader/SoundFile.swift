import BatonDocuments
import BatonImage
import BatonPlan
import FuzzTargets
import ImageFixtures

/// A sound image's file, and what may be read from copies of it whatever befell them: its own values
/// and those of the states before.
struct SoundFile {
  let name: String
  let bytes: [UInt8]
  let pageSize: Int
  /// The file as it was some commits before; the same where it has none.
  let earlier: [UInt8]
  private let values: [ImageTable: [UInt64: Set<[UInt8]>]]
  private let dumps: Set<[UInt8]>

  /// - Parameter states: The file at several times, the last of which it is.
  private init(_ name: String, pageSize: Int = 4096, states: [[UInt8]]) throws {
    let scratch = Scratch()
    var values: [ImageTable: [UInt64: Set<[UInt8]>]] = [:]
    var dumps: Set<[UInt8]> = []
    for state in states.flatMap({ [$0, Self.before($0, pageSize: pageSize)] }) {
      let path = scratch.write(state, as: "sound.image")
      try PageFile(path: path).reading { (snapshot) throws(ImageError) in
        for table in ImageTable.allCases {
          try snapshot.forEach(table, from: 0) { (key, value) throws(ImageError) in
            values[table, default: [:]][key, default: []].insert(value.copy())
            return true
          }
        }
      }
      // The state before the first commit has no header yet, and so no dump.
      if let dump = try? ImageTrial.dump(at: path) { dumps.insert(dump) }
    }
    self.name = name
    self.pageSize = pageSize
    self.bytes = states[states.count - 1]
    self.earlier = states[0]
    self.values = values
    self.dumps = dumps
  }

  /// The file without the meta page of its newest state, which shows the state before.
  private static func before(_ file: [UInt8], pageSize: Int) -> [UInt8] {
    func transaction(_ page: Int) -> UInt64 {
      file.span.u64(at: page * pageSize + MetaLayout.transaction)
    }
    let newest = transaction(0) > transaction(1) ? 0 : pageSize
    var bytes = file
    for place in newest..<newest + pageSize { bytes[place] = 0 }
    return bytes
  }

  func holds(_ value: Span<UInt8>, _ table: ImageTable, _ key: UInt64) -> Bool {
    values[table]?[key]?.contains { $0.span.isEqual(to: value) } ?? false
  }

  func holds(dump: [UInt8]) -> Bool { dumps.contains(dump) }

  // MARK: The files

  /// Laid out by hand with two page sizes, and as commits leave them.
  static func all() throws -> [SoundFile] {
    var shape = FileComposer.Shape()
    let plain = FileComposer.file(of: .sample(extra: 40), shape: shape)
    var small = ImageFixture.sample(extra: 9)
    small.finish(pageSize: 512)
    (shape.pageSize, shape.leafNodes, shape.fanout, shape.freePages) = (512, 4, 5, 3)
    let states = try committed()
    return [
      try SoundFile("composed", states: [plain]),
      try SoundFile(
        "small pages", pageSize: 512, states: [FileComposer.file(of: small, shape: shape)]),
      try SoundFile("committed", states: states),
      try SoundFile("just committed", states: Array(states[...2])),
    ]
  }

  private static let document = """
    query Load { nodes { __typename id title number author { id name } } }
    """

  /// The file after each step of a few commits, which change, add and remove records: each step is
  /// one transaction of the engine, or two.
  private static func committed() throws -> [[UInt8]] {
    let plan = try Document(Source(name: "load", text: document)).plan(operation: "Load")
    let scratch = Scratch()
    let path = scratch.path("committed.image")
    var states: [[UInt8]] = []
    for commit in 1...6 {
      let image = try Image.open(path: path)
      states.append(scratch.read(path))
      _ = try image.commit(response(commit).span, of: plan)
      states.append(scratch.read(path))
      try image.close()
      states.append(scratch.read(path))
    }
    return states
  }

  private static func response(_ commit: Int) -> [UInt8] {
    let nodes = (0..<40).filter { ($0 + commit) % 5 != 0 }.map { index in
      let title = String(
        repeating: "a title as of \(commit) ", count: index == 3 ? 400 : 1 + index % 4)
      return """
        {"__typename": "Issue", "id": "I_\(index)", "title": "\(title)", \
        "number": \(commit * index), "author": {"id": "U_\(index % 7)", "name": "\(commit)"}}
        """
    }
    return Array(#"{"data": {"nodes": [\#(nodes.joined(separator: ", "))]}}"#.utf8)
  }
}

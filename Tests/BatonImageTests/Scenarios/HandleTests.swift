import BatonImage
import BatonPlan
import Foundation
import Synchronization
import Testing

/// S32, S37, S40: clearing, closing and reading beside others.
@Suite(.timeLimit(.minutes(60))) struct HandleTests {
  static let count = 24
  static let ids = "{\"ids\":[\((0..<count).map { "\"I\($0)\"" }.joined(separator: ","))]}"
  static let titles = try! Hub.plan(
    "query Q($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { title } } }")

  static func response(_ title: String) -> [UInt8] {
    let nodes = (0..<count).map { #"{"__typename":"Issue","id":"I\#($0)","title":"\#(title)"}"# }
    return Array(#"{"data":{"nodes":[\#(nodes.joined(separator: ","))]}}"#.utf8)
  }

  static func commit(_ title: String, to image: Image) throws {
    _ = try image.commit(
      response(title).span, of: Hub.refresh, variables: try Variables(json: ids))
  }

  /// The titles that one snapshot sees, each once; a missing one is "".
  static func seen(_ image: Image) throws -> Set<String> {
    let result = try image.snapshot().read(titles, variables: try Variables(json: ids))
    guard case .object(let members) = try Value(json: result.data.span),
      case .list(let nodes)? = members.first?.value
    else { return [] }
    return Set(
      nodes.map { node in
        guard case .object(let fields) = node, case .string(let title)? = fields.first?.value
        else { return "" }
        return title
      })
  }

  /// Runs the bodies, a thread each, and gives what they threw.
  static func together(_ bodies: [@Sendable () throws -> Void]) -> [String] {
    let failures = Mutex<[String]>([])
    let ended = DispatchSemaphore(value: 0)
    for body in bodies {
      Thread.detachNewThread {
        do { try body() } catch { failures.withLock { $0.append("\(error)") } }
        ended.signal()
      }
    }
    for _ in bodies { ended.wait() }
    return failures.withLock { $0 }
  }

  @Test(.tags(.S32)) func `clearing beside readers and writers leaves each read one whole state`()
    throws
  {
    let test = try TestImage()
    let image = test.image
    let torn = Mutex<[Set<String>]>([])
    let reader: @Sendable () throws -> Void = {
      for _ in 0..<40 {
        let seen = try Self.seen(image)
        if seen.count != 1 { torn.withLock { $0.append(seen) } }
      }
    }
    let writers: [@Sendable () throws -> Void] = (0..<2).map { writer in
      { for turn in 0..<25 { try Self.commit("\(writer)-\(turn)", to: image) } }
    }
    let clearer: @Sendable () throws -> Void = {
      for _ in 0..<15 { try image.removeAll() }
    }
    let failures = Self.together(writers + [clearer] + Array(repeating: reader, count: 8))
    #expect(failures == [])
    #expect(torn.withLock { $0 } == [])
    try image.removeAll()
    try test.beforeAndAfterReopening { test in
      #expect(try Self.seen(test.image) == [""])
      try test.expect(keys: [])
    }
    try test.expectSound()
    try Self.commit("after", to: test.image)
    #expect(try Self.seen(test.image) == ["after"])
  }

  @Test(.tags(.S40)) func `closing beside readers is final, and the next open owns the file`()
    throws
  {
    for _ in 0..<5 {
      let test = try TestImage()
      let image = test.image
      try Self.commit("first", to: image)
      let torn = Mutex(0)
      let reader: @Sendable () throws -> Void = {
        do {
          while true {
            if try Self.seen(image) != ["first"] { torn.withLock { $0 += 1 } }
          }
        } catch ImageError.closed {}
      }
      let closer: @Sendable () throws -> Void = {
        Thread.sleep(forTimeInterval: 0.002)
        try image.close()
      }
      let failures = Self.together(Array(repeating: reader, count: 4) + [closer])
      #expect(failures == [])
      #expect(torn.withLock { $0 } == 0)
      let bytes = try test.bytes()
      #expect(throws: ImageError.closed) { try Self.seen(image) }
      #expect(throws: ImageError.closed) { try Self.commit("late", to: image) }
      #expect(throws: ImageError.closed) { try image.removeAll() }
      #expect(throws: ImageError.closed) { try image.pin("I0") }
      #expect(try test.bytes() == bytes)
      let next = try Image.open(path: test.path)
      try Self.commit("next", to: next)
      #expect(throws: ImageError.closed) { try Self.commit("late", to: image) }
      #expect(try Self.seen(next) == ["next"])
      try next.close()
      try test.expectSound()
    }
  }

  @Test(.tags(.S37)) func `an image opened for reading reads the newest state and writes no byte`()
    throws
  {
    let test = try TestImage()
    try Self.commit("first", to: test.image)
    try test.image.flush()
    try test.reopen()
    try test.image.close()
    let before = try test.bytes()
    let reader = try Image.open(path: test.path, options: .init(isReadOnly: true))
    #expect(try Self.seen(reader) == ["first"])
    let refusal = ImageError.usage("the image was opened for reading only")
    #expect(throws: refusal) { try Self.commit("no", to: reader) }
    #expect(throws: refusal) { try reader.removeAll() }
    #expect(throws: refusal) { try reader.forget(id: "I0") }
    #expect(throws: refusal) { try reader.pin("I0") }
    #expect(throws: refusal) { try reader.write { _ in } }
    try reader.close()
    #expect(try test.bytes() == before)
    try test.expectSound()
  }
}

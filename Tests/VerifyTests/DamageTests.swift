import BatonImage
import ImageFixtures
import TestSupport
import Testing

@Suite struct DamageTests {
  let scratch = Scratch()

  #if DEBUG
    static let runs = 600
    static let step = 41
  #else
    static let runs = 20_000
    static let step = 1
  #endif

  @Test(.timeLimit(.minutes(60)))
  func `a flipped byte anywhere is reported or does not matter`() throws {
    let image = ImageFixture.sample()
    let whole = scratch.path("whole.image")
    try image.write(to: whole)
    let bytes = scratch.read(whole)
    var reported = 0
    for offset in bytes.indices where offset % 4096 < 40 || offset % Self.step == 0 {
      var harmed = bytes
      harmed[offset] ^= 1 << UInt8(offset * 7 % 8)
      if offset % 4096 < 16 { harmed[offset] = UInt8(truncatingIfNeeded: offset &* 31) }
      if image.demandRightOutcome(scratch.write(harmed), "byte \(offset)") { reported += 1 }
    }
    #expect(reported > 0)
  }

  @Test(.timeLimit(.minutes(60)))
  func `a file cut anywhere is reported or does not matter`() throws {
    let image = ImageFixture.sample(extra: 40)
    let whole = scratch.path("whole.image")
    try image.write(to: whole, churn: 1)
    let bytes = scratch.read(whole)
    for count in stride(from: 0, to: bytes.count, by: 701) {
      image.demandRightOutcome(scratch.write(Array(bytes[..<count])), "cut at \(count)")
    }
    for count in stride(from: 0, to: bytes.count, by: 4096) {
      image.demandRightOutcome(scratch.write(Array(bytes[..<count])), "cut at \(count)")
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: [11, 12] as [UInt64])
  func `bits, page heads, zeroed, swapped and copied pages are reported or do not matter`(
    seed: UInt64
  ) throws {
    let image = ImageFixture.sample(extra: 250)
    let whole = scratch.path("whole.image")
    try image.write(to: whole, churn: 1)
    let bytes = scratch.read(whole)
    var generator = SeededGenerator(seed: seed)
    for run in 0..<Self.runs / 2 {
      let harmed = Self.harm(bytes, kind: run % 7, &generator)
      let path = scratch.write(harmed)
      let elapsed = ThreadTime.measure { image.demandRightOutcome(path, "seed \(seed) run \(run)") }
      #expect(elapsed < .seconds(2), "seed \(seed) run \(run)")
    }
  }

  private static func harm(
    _ bytes: [UInt8], kind: Int, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    var harmed = bytes
    let pages = bytes.count / 4096
    func page(_ generator: inout SeededGenerator) -> Int {
      Int.random(in: 0..<pages, using: &generator) * 4096
    }
    switch kind {
    case 0:
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        harmed[Int.random(in: 0..<bytes.count, using: &generator)] ^=
          1 << UInt8.random(in: 0..<8, using: &generator)
      }
    case 1:
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        harmed[page(&generator) + Int.random(in: 0..<64, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
    case 2:
      let start = page(&generator)
      for index in start..<start + 4096 { harmed[index] = 0 }
    case 3, 4:
      let (left, right) = (page(&generator), page(&generator))
      for index in 0..<4096 {
        harmed[left + index] = bytes[right + index]
        if kind == 3 { harmed[right + index] = bytes[left + index] }
      }
    case 5:
      // Node headers, where sizes, flags and child pages stand.
      let start = page(&generator)
      let nodes = max(1, (Int(bytes.span.u16(at: start + 12)) - 16) / 2)
      let entry = start + 16 + 2 * Int.random(in: 0..<min(nodes, 2000), using: &generator)
      let place = entry < bytes.count - 1 ? start + Int(bytes.span.u16(at: entry)) : start
      let target = min(bytes.count - 1, place + Int.random(in: 0..<20, using: &generator))
      harmed[target] = UInt8.random(in: 0...255, using: &generator)
    default:
      // A number of the page's or tree's head set to an extreme.
      let start = page(&generator) + 2 * Int.random(in: 0..<80, using: &generator)
      let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
      let value = extremes.randomElement(using: &generator) ?? 0
      for index in start..<start + [2, 4, 8].randomElement(using: &generator)! {
        harmed[index] = value
      }
    }
    return harmed
  }

  @Test func `files that are no image are refused with their kind`() throws {
    for count in [0, 1, 100, 4096, 12305, 163_840] {
      var generator = SeededGenerator(seed: UInt64(count))
      let junk = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let path = scratch.write(junk)
      #expect(throws: ImageError.foreign("no meta page of the engine at the file's start")) {
        _ = try Verifier.verify(at: path)
      }
    }
    #expect(throws: ImageError.notFound(scratch.path("none"))) {
      _ = try Verifier.verify(at: scratch.path("none"))
    }
    #expect(throws: ImageError.foreign("not a regular file")) {
      _ = try Verifier.verify(at: scratch.path("."))
    }
  }

  @Test func `another program's file of the engine is foreign`() throws {
    let path = scratch.path("other.mdb")
    try EngineFile.make(
      at: path, [EngineFile.Step(puts: [("settings", [(1, [1, 2, 3])])])])
    #expect {
      _ = try Verifier.verify(at: path)
    } throws: { error in
      if case .foreign = error as? ImageError { true } else { false }
    }
  }
}

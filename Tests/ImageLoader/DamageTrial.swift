import BatonImage
import FuzzTargets
import ImageFixtures
import TestSupport

/// Loads damaged files one after the other, as hostile ones are loaded, and demands of each that it
/// ends with a report or a right read, soon, and without much memory.
///
/// Made for a process of its own, whose use of time and memory is nobody else's.
struct DamageTrial {
  /// What a file may cost: the memory is what comes on top of its size.
  #if DEBUG
    // What isn't optimised takes some ten times as long.
    static let processorTime = Duration.seconds(Sanitizers.isAny ? 120 : 15)
  #else
    static let processorTime = Duration.seconds(2)
  #endif
  /// A sanitizer keeps freed memory back, and notes beside all there is: under one, only what has no
  /// bound is found.
  static let memory = Sanitizers.isAny ? 2 << 30 : 64 << 20

  private let scratch = Scratch()
  private let memoryAtStart = ProcessUse.peakMemory
  private var largest = 0

  /// Loads a file, of which `knows` says what may be read of it.
  mutating func run(
    _ bytes: [UInt8], onDamage: Image.DamagePolicy, writesSound: Bool = false,
    knows: Knowledge = Knowledge()
  ) throws(Finding) -> ImageTrial.Outcome {
    largest = max(largest, bytes.count)
    let start = ProcessUse.processorTime
    let outcome = try load(bytes, onDamage, writesSound, knows)
    let time = ProcessUse.processorTime - start
    guard time <= Self.processorTime else { throw Finding("it took \(time)") }
    let memory = ProcessUse.peakMemory - memoryAtStart
    guard memory <= largest + Self.memory else { throw Finding("it took \(memory) bytes") }
    return outcome
  }

  /// What may be read of a file; nothing is demanded by default.
  struct Knowledge {
    var holds: ((_ value: Span<UInt8>, ImageTable, _ key: UInt64) -> Bool)?
    var isDump: ((_ dump: [UInt8]) -> Bool)?
  }

  private func load(
    _ bytes: [UInt8], _ onDamage: Image.DamagePolicy, _ writesSound: Bool, _ knows: Knowledge
  ) throws(Finding) -> ImageTrial.Outcome {
    scratch.clear()
    var path = scratch.write(bytes)
    try checkValues(path, knows)
    let outcome = try ImageTrial.run(path, opensSound: false)
    if case .sound = outcome { try checkDump(path, knows) }
    switch try OpeningTrial.run(path, onDamage: onDamage) {
    case .refused:
      if case .sound = outcome { throw Finding("sound, but not opened") }
    case .opened: try checkDump(path, knows)
    case .replaced:
      if case .sound = outcome { throw Finding("sound, but replaced") }
    }
    if case .sound = outcome, writesSound {
      scratch.clear()
      path = scratch.write(bytes)
      _ = try ImageTrial.run(path)
    }
    return outcome
  }

  private func checkValues(_ path: String, _ knows: Knowledge) throws(Finding) {
    guard let holds = knows.holds else { return }
    var wrong: String?
    try? PageFile(path: path).reading { (snapshot) throws(ImageError) in
      for table in ImageTable.allCases {
        // What can't be read is the report's to name.
        try? snapshot.forEach(table, from: 0) { (key, value) throws(ImageError) in
          if !holds(value, table, key) { wrong = "\(table) \(key)" }
          return true
        }
        snapshot.releasePages()
      }
    }
    if let wrong { throw Finding("\(wrong) reads as what was never there") }
  }

  private func checkDump(_ path: String, _ knows: Knowledge) throws(Finding) {
    guard let isDump = knows.isDump else { return }
    do throws(ImageError) {
      guard try isDump(ImageTrial.dump(at: path)) else {
        throw .engine("it reads as a state that never was")
      }
    } catch {
      throw Finding("sound, but \(error)")
    }
  }
}

extension DamageTrial {
  /// How many files ended how.
  struct Tally: CustomStringConvertible {
    var sound = 0
    var reported = 0
    var refused = 0

    mutating func add(_ outcome: ImageTrial.Outcome) {
      switch outcome {
      case .sound: sound += 1
      case .reported: reported += 1
      case .refused: refused += 1
      }
    }

    var description: String { "\(reported) reported, \(refused) refused, \(sound) sound" }
  }

  /// Damages sound files at random, each run by its number and the seed alone.
  ///
  /// - Parameter note: Told of each file before it is loaded.
  static func run(
    seed: UInt64, runs: some Sequence<Int>, note: (String) -> Void
  ) throws -> Tally {
    let files = try SoundFile.all()
    let policies: [Image.DamagePolicy] = [.refuse, .salvage, .discard]
    var trial = DamageTrial()
    var tally = Tally()
    for run in runs {
      var generator = SeededGenerator(seed: seed &+ UInt64(run) &* 0x9E37_79B9)
      let damage = FileDamage.allCases[run % FileDamage.allCases.count]
      let file = files[Int.random(in: 0..<files.count, using: &generator)]
      let donor = files[Int.random(in: 0..<files.count, using: &generator)]
      note("run \(run) of seed \(seed): \(file.name), \(damage)")
      var knows = Knowledge()
      if !damage.forges {
        knows.holds = { value, table, key in
          file.holds(value, table, key) || damage.mixesImages && donor.holds(value, table, key)
        }
        if !damage.mixesImages, !damage.mixesStates { knows.isDump = file.holds(dump:) }
      }
      let outcome = try trial.run(
        damage.applied(to: file, donor: donor, &generator),
        onDamage: policies[run / FileDamage.allCases.count % policies.count],
        writesSound: generator.oneIn(8), knows: knows)
      tally.add(outcome)
    }
    return tally
  }
}

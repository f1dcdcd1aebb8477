package import BatonImage
import BatonPlan
import ImageFixtures

/// Everything that can be done with an image's file of unknown origin: it is verified and read
/// without the engine, whatever the report says; and what is reported sound must then be read whole,
/// by the engine as well, and take a commit.
package struct ImageTrial {
  package enum Outcome: Sendable {
    /// The file was refused as a whole.
    case refused
    /// Damage was reported.
    case reported
    case sound
  }

  private let path: String
  private let isSound: Bool

  /// Runs all of it on the file at `path`.
  ///
  /// - Parameter opensSound: Whether a sound image is opened by the engine and written to.
  package static func run(_ path: String, opensSound: Bool = true) throws(Finding) -> Outcome {
    guard let report = try verify(path) else {
      try ImageTrial(path: path, isSound: false).readUntrusted()
      return .refused
    }
    let trial = ImageTrial(path: path, isSound: report.isSound)
    let reading = try trial.readUntrusted()
    guard report.isSound else { return .reported }
    guard let reading else { throw Finding("sound, but it can't be read") }
    if opensSound { try trial.open(reading) }
    return .sound
  }

  /// The report; nil when the file is refused.
  private static func verify(_ path: String) throws(Finding) -> VerificationReport? {
    do throws(ImageError) {
      return try Verifier.verify(at: path)
    } catch {
      switch error {
      case .foreign, .incompatible: return nil
      default: throw Finding("verify ends with: \(error)")
      }
    }
  }

  // MARK: Without the engine

  /// What reading the image gave.
  private struct Reading {
    /// Nil for one that passes a limit.
    var dump: [UInt8]?
    var load: ReadResult?
  }

  /// The longest dump that is made; a small file can ask for more.
  private static let maximumDump = 8 << 20

  @discardableResult
  private func readUntrusted() throws(Finding) -> Reading? {
    let image: UntrustedImage
    do throws(ImageError) { image = try UntrustedImage(path: path) } catch {
      if isSound { throw Finding("sound, but not opened: \(error)") }
      return nil
    }
    var reading = Reading()
    try demand("export") { () throws(ImageError) in
      let dump = try image.reading { (snapshot) throws(ImageError) in try Self.dump(snapshot) }
      reading.dump = dump
      if isSound { _ = try Value(json: dump.span) }
    }
    try demand("inspect") { () throws(ImageError) in _ = try image.summary() }
    try demand("names") { () throws(ImageError) in
      try image.reading { (snapshot) throws(ImageError) in _ = try snapshot.otherNames() }
    }
    for text in Self.texts {
      try demand("the card of \(text)") { () throws(ImageError) in
        try image.reading { (snapshot) throws(ImageError) in _ = try snapshot.card(text) }
      }
    }
    try demand("resolve") { () throws(ImageError) in
      try image.reading { (snapshot) throws(ImageError) in
        _ = try snapshot.number(ofNaturalKey: Self.naturalKey)
      }
    }
    reading.load = readSelections(image)
    try salvage()
    return reading
  }

  /// Runs a body, which must not fail when the image is sound, but for a limit.
  private func demand(
    _ what: String, _ body: () throws(ImageError) -> Void
  ) throws(Finding) {
    do throws(ImageError) {
      try body()
    } catch .limit {
      return
    } catch {
      if isSound { throw Finding("sound, but \(what): \(error)") }
    }
  }

  /// The dump of the image at `path`, read without the engine.
  package static func dump(at path: String) throws(ImageError) -> [UInt8] {
    try UntrustedImage(path: path).reading { (snapshot) throws(ImageError) in try dump(snapshot) }
  }

  static func dump(
    _ source: borrowing some RecordSource & ~Copyable
  ) throws(ImageError) -> [UInt8] {
    var dump: [UInt8] = []
    try source.export { (part) throws(ImageError) in
      guard dump.count + part.count <= maximumDump else { throw .limit("a long dump") }
      dump.append(contentsOf: part)
    }
    return dump
  }

  /// Reads an operation and a fragment; the operation's result when there is one.
  ///
  /// A field may be of another kind than the document's: that is an error of its own.
  private func readSelections(_ image: UntrustedImage) -> ReadResult? {
    let load = try? image.reading { (snapshot) throws(ImageError) in
      try snapshot.read(
        TrialPlans.load, variables: [:], identity: image.identity, maximumCount: 1 << 20)
    }
    for text in Self.texts {
      _ = try? image.reading { (snapshot) throws(ImageError) in
        guard let number = try snapshot.liveRecord(text) else { return }
        _ = try snapshot.read(
          fragment: TrialPlans.row, of: number, variables: [:], identity: image.identity,
          maximumCount: 1 << 20)
      }
    }
    return load
  }

  private func salvage() throws(Finding) {
    try demand("salvage") { () throws(ImageError) in
      let salvage = try Salvage(PageFile(path: path))
      var values = 0
      for table in ImageTable.allCases {
        try salvage.forEach(table) { _, _ in values += 1 }
      }
      guard salvage.faultCount == 0 || !isSound else {
        throw .damaged(salvage.faults.first ?? Damage("salvage", "faults without a first one"))
      }
    }
  }

  // MARK: By the engine

  private func open(_ reading: Reading) throws(Finding) {
    do throws(ImageError) {
      let image = try Image.open(path: path)
      try compare(image, reading)
      try commit(to: image)
      try image.close()
    } catch {
      throw Finding("sound, but the engine: \(error)")
    }
    guard let report = try Self.verify(path) else { throw Finding("refused after a commit") }
    guard report.isSound else {
      throw Finding("damaged after a commit: \(report.faults.first?.description ?? "")")
    }
  }

  private func compare(_ image: Image, _ reading: Reading) throws(ImageError) {
    let snapshot = try image.snapshot()
    var dump: [UInt8]?
    do throws(ImageError) { dump = try Self.dump(snapshot) } catch .limit {}
    guard dump == reading.dump else { throw .engine("it reads another dump") }
    let load = try? snapshot.read(
      TrialPlans.load, variables: [:], identity: image.identity, maximumCount: 1 << 20)
    guard load == reading.load else { throw .engine("it reads another answer") }
  }

  private func commit(to image: Image) throws(ImageError) {
    let response = TrialPlans.response
    do throws(ImageError) {
      _ = try image.commit(response.span, of: TrialPlans.load)
    } catch .limit {
      return
    }
  }

  static let texts = [
    "I_1", "I_2", "I_3", "I_4", "I_wide", "MDU6SXNzdWUx", "I_404", "client:root",
    "I_1:labels(first:10)", "client:root:nodes:0",
  ]
  static let naturalKey = #"repository(name:"w",owner:"o")/issue(number:7)"#
}

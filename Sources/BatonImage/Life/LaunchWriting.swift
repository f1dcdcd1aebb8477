internal import LMDB

extension CommitSession {
  /// Writes what the launch has to say in a transaction that writes anyway: its generation, fetch
  /// times, use stamps; in its first commit it drops the payloads of launches before.
  mutating func write(
    _ launch: Launch, into step: inout LaunchStep, isCommit: Bool = true, allUses: Bool = false
  ) throws(ImageError) {
    if launch.generation == nil { state.generation &+= 1 }
    step.generation = state.generation
    if isCommit { try dropFormerPayloads(of: launch, into: &step) }
    step.fetches.merge(launch.fetchesDue) { new, _ in new }
    try keep(fetches: step.fetches)
    step.lists = launch.takeLists(all: allUses)
    if let lists = step.lists {
      try keep(lists.texts)
      try keep(lists.records)
    }
    let first = try counters().nextRecord
    if first < state.nextRecord, let lower = UInt32(exactly: first) {
      step.created = lower..<UInt32(clamping: state.nextRecord)
    }
    step.stamps = launch.uses.take(all: allUses)
    try stamp(step.stamps + step.created, with: step.generation)
  }

  /// Drops the payload records of launches before, once.
  mutating func dropFormerPayloads(
    of launch: Launch, into step: inout LaunchStep
  ) throws(ImageError) {
    guard launch.hasFormerPayloads, !step.droppedPayloads else { return }
    step.droppedPayloads = true
    for root in [RowLayout.mutationRoot, RowLayout.subscriptionRoot] { try dropPayloads(of: root) }
  }

  /// Writes use stamps: Docs/Format.md section 11.
  mutating func stamp(_ numbers: [UInt32], with generation: UInt32) throws(ImageError) {
    for chunk in StampChunk.chunks(of: numbers) {
      var value = [UInt8](repeating: 0, count: StampChunk.size)
      // One behind all others is appended: the engine leaves the page before it full then.
      let isLast = try self.value(.stamps, atLeast: UInt64(chunk.key)) == nil
      if !isLast, let old = try self.value(.stamps, UInt64(chunk.key)),
        old.count == StampChunk.size
      {
        value = old.copy()
      }
      var isChanged = false
      for number in chunk.numbers {
        let offset = StampChunk.offset(of: number)
        guard value.span.u32(at: offset) != generation else { continue }
        value.store(u32: generation, at: offset)
        isChanged = true
      }
      if isChanged { try put(&value, .stamps, UInt64(chunk.key), appending: isLast) }
    }
  }

  /// Writes the counters without counting a commit.
  mutating func writeCounters() throws(ImageError) {
    var value = state.encoded()
    try put(&value, .meta, MetaKey.state)
  }
}

/// Records whose use stamps lie in one value: Docs/Format.md section 11.
struct StampChunk {
  var key: UInt32
  var numbers: ArraySlice<UInt32>

  /// How many stamps a value has.
  static let count = 256
  static let size = 4 + 4 * count

  static func key(of number: UInt32) -> UInt32 { number >> 8 }

  /// Where a record's stamp lies in its value.
  static func offset(of number: UInt32) -> Int { 4 + 4 * Int(number & 0xFF) }

  static func chunks(of numbers: [UInt32]) -> [StampChunk] {
    let sorted = numbers.sorted()
    var chunks: [StampChunk] = []
    var start = 0
    for index in sorted.indices
    where index + 1 == sorted.count || key(of: sorted[index + 1]) != key(of: sorted[index]) {
      chunks.append(StampChunk(key: key(of: sorted[index]), numbers: sorted[start...index]))
      start = index + 1
    }
    return chunks
  }
}

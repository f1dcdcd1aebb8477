/// Which pages of a file were met, a bit for each: a page is in one tree once, or free once.
struct PageUse {
  private var words: [UInt64]
  private let lastPage: UInt64

  /// Pages behind a file's end that its state may count as free: more than one commit takes and
  /// leaves unwritten.
  static let slack: UInt64 = 1 << 20

  /// For a state whose last page is `lastPage`, in a file that holds `filePages`.
  ///
  /// Memory goes by the file's length, whatever the state claims.
  init(lastPage: UInt64, filePages: UInt64) {
    self.lastPage = min(lastPage, filePages + Self.slack)
    words = [UInt64](repeating: 0, count: Int(self.lastPage / 64) + 1)
    words[0] = 3  // the meta pages
  }

  enum Outcome {
    case taken
    case again
    case outside
  }

  /// Takes a page; `again` when it was taken before.
  mutating func take(_ page: UInt64) -> Outcome {
    guard page >= PageLayout.firstPage, page <= lastPage else { return .outside }
    let bit: UInt64 = 1 << (page % 64)
    guard words[Int(page / 64)] & bit == 0 else { return .again }
    words[Int(page / 64)] |= bit
    return .taken
  }

  /// How many pages were not taken, and the first of them.
  func untaken() -> (count: UInt64, first: UInt64?) {
    var count: UInt64 = 0
    var first: UInt64?
    for (index, word) in words.enumerated() {
      var free = ~word
      if index == words.count - 1, lastPage % 64 < 63 { free &= (1 << (lastPage % 64 + 1)) - 1 }
      guard free != 0 else { continue }
      if first == nil { first = UInt64(index) * 64 + UInt64(free.trailingZeroBitCount) }
      count += UInt64(free.nonzeroBitCount)
    }
    return (count, first)
  }
}

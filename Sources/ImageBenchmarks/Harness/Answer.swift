/// What a question's measurements came to.
struct Answer: Encodable {
  let question: String
  let title: String
  private(set) var measurements: [Measurement] = []
  private(set) var ratios: [Ratio] = []
  /// What is worth knowing beside the figures.
  private(set) var notes: [String] = []

  init(question: String, title: String) {
    self.question = question
    self.title = title
  }

  var isPassed: Bool { ratios.allSatisfy { $0.isPassed ?? true } }

  /// Keeps the times of a contender.
  mutating func add(_ contender: String, _ samples: Samples) {
    measurements.append(
      Measurement(
        contender: contender, unit: .nanoseconds, best: samples.best, median: samples.median,
        mean: samples.mean, count: samples.times.count))
  }

  /// Keeps a figure that is no time.
  mutating func add(_ contender: String, _ value: Double, _ unit: Measurement.Unit) {
    measurements.append(
      Measurement(
        contender: contender, unit: unit, best: value, median: value, mean: value, count: 1))
  }

  /// Keeps a ratio, held against a budget when there is one.
  mutating func compare(_ what: String, _ value: Double, _ budget: Budget? = nil) {
    ratios.append(Ratio(what: what, value: value, budget: budget))
  }

  mutating func note(_ text: String) { notes.append(text) }
}

/// One contender's figures.
struct Measurement: Encodable {
  enum Unit: String, Encodable {
    case nanoseconds, bytes, megabytesPerSecond
  }

  var contender: String
  var unit: Unit
  var best: Double
  var median: Double
  var mean: Double
  /// How many samples there were.
  var count: Int
}

/// What a ratio has to be.
struct Budget: Encodable {
  enum Side: String, Encodable {
    case atMost, atLeast
  }

  var side: Side
  var limit: Double

  static func atMost(_ limit: Double) -> Budget { Budget(side: .atMost, limit: limit) }
  static func atLeast(_ limit: Double) -> Budget { Budget(side: .atLeast, limit: limit) }

  func holds(_ value: Double) -> Bool {
    switch side {
    case .atMost: value <= limit
    case .atLeast: value >= limit
    }
  }
}

/// A measured ratio, or another figure with a budget.
struct Ratio: Encodable {
  var what: String
  var value: Double
  var budget: Budget?

  /// Nil without a budget.
  var isPassed: Bool? { budget.map { $0.holds(value) } }

  private enum Key: String, CodingKey {
    case what, value, budget, isPassed
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(what, forKey: .what)
    try container.encode(value, forKey: .value)
    try container.encodeIfPresent(budget, forKey: .budget)
    try container.encodeIfPresent(isPassed, forKey: .isPassed)
  }
}

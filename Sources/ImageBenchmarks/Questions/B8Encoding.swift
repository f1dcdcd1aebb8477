import BatonImage

/// A response to encoded rows, without the engine.
enum EncodingQuestion: Question {
  static let name = "B8"
  static let title = "JSON to encoded rows, in memory"

  static func ask(_ answer: inout Answer, _ setting: Setting) throws {
    let batch = Batch(0)
    let responses = (0..<10).map { batch.response(revision: 7 + $0) }
    var encoding = try ResponseEncoding(plan: Subjects.plan(), variables: batch.variables)
    var samples = Samples()
    for round in 0..<setting.count(3000, quick: 600) + 100 {
      if round == 100 { samples = Samples() }
      let response = responses[round % responses.count]
      let start = ContinuousClock.now
      consume(try encoding.encode(response.span))
      samples.add(ContinuousClock.now - start)
    }
    let count = Double(responses[0].count)
    answer.add("a response", samples)
    answer.add("throughput", count / samples.median * 1e3, .megabytesPerSecond)
    answer.compare("MB/s", count / samples.median * 1e3, .atLeast(400))
  }
}

import Synchronization

/// A transport for tests: it answers from a script, and keeps what it was asked.
public final class RecordedTransport: Transport {
  /// What a request comes to.
  public typealias Answer = Result<TransportResponse, TransportError>

  private let answer: @Sendable (TransportRequest, Int) async -> Answer
  private let asked = Mutex<[TransportRequest]>([])

  /// Answers each request with the next of the answers; those past the end find the service
  /// unreachable.
  public convenience init(_ answers: [Answer]) {
    self.init { _, index in
      index < answers.count ? answers[index] : .failure(.unreachable("no answer is recorded"))
    }
  }

  /// Answers each request with the next of the bodies, with status 200.
  public convenience init(bodies: [String]) {
    self.init(bodies.map { .success(TransportResponse(body: Array($0.utf8))) })
  }

  /// Answers each request by what a function makes of it and of how many came before it.
  public init(_ answer: @escaping @Sendable (TransportRequest, Int) async -> Answer) {
    self.answer = answer
  }

  /// The requests so far, in the order they came.
  public var requests: [TransportRequest] { asked.withLock { $0 } }

  public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let index = asked.withLock { (asked) -> Int in
      asked.append(request)
      return asked.count - 1
    }
    return try await answer(request, index).get()
  }
}

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The requests of one session that are under way, gathered as their bytes come in.
final class HTTPExchanges: NSObject, URLSessionDataDelegate {
  typealias Answer = Result<TransportResponse, TransportError>

  private let bodyLimit: Int
  private let running = Mutex<[Int: Exchange]>([:])

  private struct Exchange {
    /// Who waits for the end; nil until someone does.
    var continuation: CheckedContinuation<Answer, Never>?
    var body: [UInt8] = []
    var isTooLarge = false
    /// The end, when it came before someone waited for it, as a cancelled task's may.
    var answer: Answer?
  }

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  /// Makes room for a task's bytes, before anything can happen to it.
  func prepare(_ task: URLSessionDataTask) {
    running.withLock { $0[task.taskIdentifier] = Exchange() }
  }

  /// Starts a prepared task; the continuation is resumed with its end.
  func begin(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Answer, Never>) {
    let answer = running.withLock { running in
      if let answer = running[task.taskIdentifier]?.answer {
        running[task.taskIdentifier] = nil
        return answer as Answer?
      }
      running[task.taskIdentifier]?.continuation = continuation
      return nil
    }
    if let answer { continuation.resume(returning: answer) } else { task.resume() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The answer is then the redirection itself. What was meant for one host goes to no other.
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = running.withLock { running in
      guard var exchange = running.removeValue(forKey: dataTask.taskIdentifier) else { return true }
      if exchange.body.count + data.count > bodyLimit {
        exchange.isTooLarge = true
        exchange.body = []
      } else {
        exchange.body.append(contentsOf: data)
      }
      running[dataTask.taskIdentifier] = exchange
      return exchange.isTooLarge
    }
    if isTooLarge { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let ended = running.withLock { running in
      guard var exchange = running.removeValue(forKey: task.taskIdentifier) else {
        return nil as (CheckedContinuation<Answer, Never>, Answer)?
      }
      let answer = answer(of: exchange, task, error)
      if let continuation = exchange.continuation { return (continuation, answer) }
      exchange.answer = answer
      running[task.taskIdentifier] = exchange
      return nil
    }
    if let (continuation, answer) = ended { continuation.resume(returning: answer) }
  }

  private func answer(
    of exchange: Exchange, _ task: URLSessionTask, _ error: (any Error)?
  ) -> Answer {
    if exchange.isTooLarge { return .failure(.tooLarge(limit: bodyLimit)) }
    if let error { return .failure(Self.failure(error)) }
    guard let response = task.response as? HTTPURLResponse else {
      return .failure(.unreachable("the answer is not HTTP"))
    }
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields {
      headers[name] = value
    }
    return .success(
      TransportResponse(status: response.statusCode, headers: headers, body: exchange.body))
  }

  /// The system's error in words of our own: its text may quote the URL.
  private static func failure(_ error: any Error) -> TransportError {
    guard let error = error as? URLError else { return .unreachable("the request failed") }
    switch error.code {
    case .timedOut: return .timedOut
    case .cancelled: return .cancelled
    case .cannotFindHost, .dnsLookupFailed: return .unreachable("the host can't be found")
    case .cannotConnectToHost: return .unreachable("the host can't be connected to")
    case .networkConnectionLost: return .unreachable("the connection broke")
    case .notConnectedToInternet: return .unreachable("there is no network")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      return .unreachable("the connection can't be secured")
    default: return .unreachable("the request failed with code \(error.code.rawValue)")
    }
  }
}

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
    var continuation: CheckedContinuation<Answer, Never>
    var body: [UInt8] = []
    var isTooLarge = false
  }

  init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  /// Starts a task; the continuation is resumed with its end.
  func begin(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Answer, Never>) {
    running.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
    task.resume()
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
    let exchange = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let exchange else { return }
    exchange.continuation.resume(returning: answer(of: exchange, task, error))
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

public import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// GraphQL over HTTP on URLSession: a POST of JSON, and whatever comes back.
///
/// It keeps no cookies, caches and credentials, and follows no redirection, so that a token goes to
/// the endpoint and nowhere else. Compressed answers are asked for and decompressed.
public final class HTTPTransport: Transport {
  /// The headers of a request, asked for before each attempt, so that a token may be renewed.
  public typealias Headers = @Sendable () async throws -> [String: String]

  private let endpoint: URL
  private let timeout: Duration
  private let headers: Headers
  private let session: URLSession
  private let exchanges: HTTPExchanges

  /// - Parameters:
  ///   - timeout: how long one request may take, its answer included.
  ///   - bodyLimit: the longest body that is taken, in bytes after decompression.
  ///   - headers: what goes along besides the content's type; `Authorization`, say.
  public init(
    endpoint: URL, timeout: Duration = .seconds(30), bodyLimit: Int = 64 << 20,
    headers: @escaping Headers = { [:] }
  ) {
    self.endpoint = endpoint
    self.timeout = timeout
    self.headers = headers
    exchanges = HTTPExchanges(bodyLimit: bodyLimit)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.timeoutIntervalForRequest = timeout.seconds
    configuration.timeoutIntervalForResource = timeout.seconds
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  deinit { session.finishTasksAndInvalidate() }

  public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    var message = URLRequest(url: endpoint, timeoutInterval: timeout.seconds)
    message.httpMethod = "POST"
    message.httpBody = Data(request.body)
    message.setValue("application/json", forHTTPHeaderField: "Content-Type")
    message.setValue("application/json", forHTTPHeaderField: "Accept")
    message.setValue("baton-image", forHTTPHeaderField: "User-Agent")
    let own: [String: String]
    do { own = try await headers() } catch {
      // The error may quote what it failed on.
      throw .unreachable("the headers of the request could not be made")
    }
    for (name, value) in own {
      guard Self.isSound(name), Self.isSound(value) else {
        throw .unreachable("a header of the request holds a control character")
      }
      message.setValue(value, forHTTPHeaderField: name)
    }
    let task = session.dataTask(with: message)
    let exchanges = exchanges
    exchanges.prepare(task)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchanges.begin(task, continuation)
      }
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  /// Whether a text can't end its header and begin another one.
  private static func isSound(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

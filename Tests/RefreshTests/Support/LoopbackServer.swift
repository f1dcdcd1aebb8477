import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin

  private let quietly: Int32 = 0
#else
  import Glibc

  /// `MSG_NOSIGNAL`, which is imported as one type or another by what else is: a client that went
  /// away is no reason to end the process.
  private let quietly: Int32 = 0x4000
#endif

/// An HTTP server of a few lines on the loopback, a thread a connection.
///
/// What it answers is sent byte for byte, and the connection closed; nil sends nothing and keeps
/// the connection until the server ends.
final class LoopbackServer: Sendable {
  typealias Handler = @Sendable (_ request: String) -> [UInt8]?

  let port: UInt16
  private let listener: Int32
  private let handler: Handler
  private let kept = Mutex<[Int32]>([])
  private let received = Mutex<[String]>([])

  /// The requests so far, head and body.
  var requests: [String] { received.withLock { $0 } }

  var endpoint: URL { URL(string: "http://127.0.0.1:\(port)/graphql")! }

  init(_ handler: @escaping Handler) throws {
    self.handler = handler
    #if canImport(Darwin)
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // SAFETY: the address lives for the calls, which read or fill no more than its size.
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { [listener] pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    let accepting = listener
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(accepting, nil, nil)
        guard connection >= 0, let self else { return }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  func stop() {
    #if canImport(Darwin)
      shutdown(listener, SHUT_RDWR)
    #else
      shutdown(listener, Int32(SHUT_RDWR))
    #endif
    close(listener)
    for connection in kept.withLock({ $0 }) { close(connection) }
  }

  private func serve(_ connection: Int32) {
    guard let request = read(from: connection) else {
      close(connection)
      return
    }
    received.withLock { $0.append(request) }
    guard let answer = handler(request) else {
      kept.withLock { $0.append(connection) }
      return
    }
    var rest = answer[...]
    while !rest.isEmpty {
      // SAFETY: the bytes live for the call, which reads no more of them than there are.
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe send(connection, bytes.baseAddress, bytes.count, quietly)
      }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    close(connection)
  }

  /// A request's head and body; nil when the connection ends before it.
  private func read(from connection: Int32) -> String? {
    var request: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let text = String(decoding: request, as: UTF8.self)
      if let head = text.range(of: "\r\n\r\n") {
        let length = text[..<head.lowerBound].lowercased().split(separator: "\r\n")
          .first { $0.hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        if text[head.upperBound...].utf8.count >= length ?? 0 { return text }
      }
      // SAFETY: the buffer lives for the call, which fills no more than its size.
      let count = unsafe part.withUnsafeMutableBytes { bytes in
        unsafe recv(connection, bytes.baseAddress, bytes.count, 0)
      }
      guard count > 0 else { return nil }
      request += part[..<count]
    }
  }
}

extension LoopbackServer {
  /// The bytes of an answer.
  static func answer(
    _ body: [UInt8], status: Int = 200, headers: [String] = [], length: Int? = nil
  ) -> [UInt8] {
    let head =
      ["HTTP/1.1 \(status) Status", "Content-Length: \(length ?? body.count)", "Connection: close"]
      + headers
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}

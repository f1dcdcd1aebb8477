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
  private let isStopped = Atomic(false)
  private let received = Mutex<[String]>([])

  /// The requests so far, head and body.
  var requests: [String] { received.withLock { $0 } }

  var endpoint: URL { URL(string: "http://127.0.0.1:\(port)/graphql")! }

  init(_ handler: @escaping Handler) throws {
    self.handler = handler
    listener = LoopbackServer.makeSocket()
    let port: UInt16? = unsafe LoopbackServer.withAddress(of: 0) { [listener] address, length in
      var length = length
      guard unsafe bind(listener, address, length) == 0, listen(listener, 16) == 0,
        unsafe getsockname(listener, address, &length) == 0
      else { return nil }
      return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
    guard let port else {
      close(listener)
      throw POSIXError(.EADDRNOTAVAIL)
    }
    self.port = port
    Thread.detachNewThread { self.acceptConnections() }
  }

  /// Ends the server: connections that were kept close now, the listener just after.
  func stop() {
    guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
    // The thread that accepts owns the listener: were it closed here, that thread could accept what
    // comes to whoever got the number next. A connection of our own wakes it.
    let waking = LoopbackServer.makeSocket()
    _ = unsafe LoopbackServer.withAddress(of: port) { address, length in
      unsafe connect(waking, address, length)
    }
    close(waking)
    for connection in kept.withLock({ $0 }) { close(connection) }
  }

  private func acceptConnections() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0, !isStopped.load(ordering: .sequentiallyConsistent) else {
        if connection >= 0 { close(connection) }
        close(listener)
        return
      }
      Thread.detachNewThread { self.serve(connection) }
    }
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
      socket(AF_INET, SOCK_STREAM, 0)
    #else
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  /// Gives `body` the address of a port on the loopback, for the call alone.
  private static func withAddress<Result>(
    of port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // SAFETY: the address lives for the call, and its length is told with it.
    return unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
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

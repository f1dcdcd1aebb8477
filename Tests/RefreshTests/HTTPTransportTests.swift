import BatonImage
import BatonPlan
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60)))
struct HTTPTransportTests {
  private static let request = TransportRequest(
    document: "query Q { viewer { id } }", operationName: "Q", variables: ["n": .int(1)])

  /// More than a request takes among all the other tests on a busy machine.
  private static let unhurried = Duration.seconds(600)

  /// Sends one request to a server that answers with `answer`, and gives the server too.
  private func send(
    to answer: [UInt8]?, timeout: Duration = unhurried, bodyLimit: Int = 1 << 20,
    headers: @escaping HTTPTransport.Headers = { [:] }
  ) async throws -> (Result<TransportResponse, TransportError>, [String]) {
    let server = try LoopbackServer { _ in answer }
    defer { server.stop() }
    let transport = HTTPTransport(
      endpoint: server.endpoint, timeout: timeout, bodyLimit: bodyLimit, headers: headers)
    do throws(TransportError) {
      return (.success(try await transport.send(Self.request)), server.requests)
    } catch {
      return (.failure(error), server.requests)
    }
  }

  @Test func `a request is a POST of JSON with the headers of its attempt`() async throws {
    let attempts = Counter()
    let server = try LoopbackServer { _ in LoopbackServer.answer(Array("{}".utf8)) }
    defer { server.stop() }
    let transport = HTTPTransport(endpoint: server.endpoint, timeout: Self.unhurried) {
      ["Authorization": "bearer token-\(attempts.next())", "User-Agent": "own"]
    }
    for _ in 0..<2 { _ = try await transport.send(Self.request) }
    #expect(server.requests.count == 2)
    for (index, request) in server.requests.enumerated() {
      #expect(request.hasPrefix("POST /graphql HTTP/1.1\r\n"))
      #expect(request.contains("Content-Type: application/json\r\n"))
      #expect(request.contains("Authorization: bearer token-\(index)\r\n"))
      #expect(request.contains("User-Agent: own\r\n"))
      #expect(request.lowercased().contains("accept-encoding: "))
      #expect(
        request.hasSuffix(
          #"{"operationName":"Q","query":"query Q { viewer { id } }","variables":{"n":1}}"#))
    }
  }

  @Test func `status, headers and body come back whatever the status`() async throws {
    let (result, _) = try await send(
      to: LoopbackServer.answer(
        Array("no".utf8), status: 502, headers: ["X-GitHub-Request-Id: AB:1", "Retry-After: 3"]))
    let response = try result.get()
    #expect(response.status == 502)
    #expect(response.headers["retry-after"] == "3")
    #expect(response.requestId == "AB:1")
    #expect(response.body == Array("no".utf8))
  }

  @Test func `a compressed body is decompressed`() async throws {
    // gzip of "hello, hello, hello".
    let packed: [UInt8] = [
      0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9,
      0xD7, 0x51, 0xC8, 0x40, 0xA2, 0x00, 0x9F, 0xA1, 0xCA, 0x09, 0x13, 0x00, 0x00, 0x00,
    ]
    let (result, _) = try await send(
      to: LoopbackServer.answer(packed, headers: ["Content-Encoding: gzip"]))
    #expect(try String(decoding: result.get().body, as: UTF8.self) == "hello, hello, hello")
  }

  @Test(arguments: [100_000, 99_999])
  func `a body past the limit is not taken`(_ limit: Int) async throws {
    let (result, _) = try await send(
      to: LoopbackServer.answer([UInt8](repeating: 0x20, count: 100_000)), bodyLimit: limit)
    switch result {
    case .success(let response):
      #expect(limit == 100_000)
      #expect(response.body.count == 100_000)
    case .failure(let error): #expect(error == .tooLarge(limit: 99_999))
    }
  }

  @Test func `a redirection is an answer and is not followed`() async throws {
    let other = try LoopbackServer { _ in LoopbackServer.answer([]) }
    defer { other.stop() }
    for status in [301, 302, 307, 308] {
      let (result, _) = try await send(
        to: LoopbackServer.answer([], status: status, headers: ["Location: \(other.endpoint)"]),
        headers: { ["Authorization": "bearer secret"] })
      #expect(try result.get().status == status)
    }
    #expect(other.requests.isEmpty)
  }

  @Test func `a server that says nothing is given up in time`() async throws {
    let (result, _) = try await send(to: nil, timeout: .seconds(1))
    #expect(throws: TransportError.timedOut) { try result.get() }
  }

  @Test func `a connection that breaks is no answer`() async throws {
    let (cut, _) = try await send(
      to: LoopbackServer.answer(Array("{\"data\":".utf8), length: 1000))
    guard case .failure(.unreachable) = cut else {
      Issue.record("\(cut)")
      return
    }
    let (none, _) = try await send(to: [])
    guard case .failure(.unreachable) = none else {
      Issue.record("\(none)")
      return
    }
  }

  @Test func `a cancelled request ends`() async throws {
    let arrived = Latch()
    let server = try LoopbackServer { _ in
      arrived.open()
      return nil
    }
    defer { server.stop() }
    let transport = HTTPTransport(endpoint: server.endpoint, timeout: Self.unhurried)
    let task = Task { () async -> TransportError? in
      do throws(TransportError) {
        _ = try await transport.send(Self.request)
        return nil
      } catch {
        return error
      }
    }
    await arrived.wait()
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  @Test func `a request that was cancelled before it began ends too`() async throws {
    let server = try LoopbackServer { _ in nil }
    defer { server.stop() }
    let transport = HTTPTransport(endpoint: server.endpoint, timeout: Self.unhurried)
    let latch = Latch()
    let task = Task { () async -> TransportError? in
      await latch.wait()
      do throws(TransportError) {
        _ = try await transport.send(Self.request)
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    latch.open()
    #expect(await task.value == .cancelled)
  }

  @Test func `no error holds what the headers hold`() async throws {
    struct Leak: Error { var text = "secret-token" }
    let server = try LoopbackServer { _ in [] }
    server.stop()
    let endpoint = URL(string: "http://secret-token@127.0.0.1:\(server.port)/?k=secret-token")!
    let all: [HTTPTransport.Headers] = [
      { ["Authorization": "bearer secret-token"] }, { throw Leak() },
      { ["Authorization": "secret-token\r\nX: y"] },
    ]
    for headers in all {
      let transport = HTTPTransport(
        endpoint: endpoint, timeout: Self.unhurried, headers: headers)
      let fixture = try Fixture()
      let report = try await fixture.image.refresh(
        ["I_a"], with: Operations.refresh, through: transport,
        options: ManualTiming().options())
      let failure = try #require(report.results[0].status.failure)
      #expect(failure.kind == .unreachable)
      var dump = ""
      Swift.dump(report, to: &dump)
      #expect(!dump.contains("secret-token"))
    }
  }

  @Test func `a refresh runs over it`() async throws {
    let server = try LoopbackServer { request in
      let body = Answers.nodes([Answers.issue("I_a"), Answers.issue("I_b")])
      return LoopbackServer.answer(request.contains("I_b") ? Array(body.utf8) : [])
    }
    defer { server.stop() }
    let fixture = try Fixture()
    let report = try await fixture.image.refresh(
      ["I_a", "I_b"], with: Operations.refresh,
      through: HTTPTransport(endpoint: server.endpoint, timeout: Self.unhurried))
    #expect(report.counts.updated == 2)
  }
}

/// Counts up from 0.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0 - 1
    }
  }
}

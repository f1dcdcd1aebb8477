import BatonPlan
import Foundation

/// Sends the requests of one run through a transport and sorts what comes back.
struct Requester: Sendable {
  let operation: RemoteOperation
  let transport: any Transport
  let options: RequestOptions
  let gate: RequestGate

  init(
    _ operation: RemoteOperation, through transport: any Transport, options: RequestOptions
  ) {
    self.operation = operation
    self.transport = transport
    self.options = options
    gate = RequestGate(options)
  }

  /// Sends one request: the body of a response with data, or why there is none.
  ///
  /// Nothing is sent when the run stopped or was cancelled. Once sent, a request is not cancelled
  /// with its caller: its answer is paid for, and is committed.
  func answer(
    to variables: Variables, _ willSend: @Sendable () -> Void = {}
  ) async -> Result<TransportResponse, ServiceFailure> {
    if let reason = await gate.pass() { return .failure(reason) }
    willSend()
    let request = TransportRequest(
      document: operation.document, operationName: operation.name, variables: variables)
    let transport = transport
    let sending = Task { () async -> Result<TransportResponse, TransportError> in
      do throws(TransportError) { return .success(try await transport.send(request)) } catch {
        return .failure(error)
      }
    }
    switch await sending.value {
    case .failure(let error): return .failure(ServiceFailure(error))
    case .success(let response):
      switch ServiceAnswer(response, now: options.timing.now()) {
      case .data:
        gate.noteAnswer()
        return .success(response)
      case .failure(let failure): return .failure(failure)
      }
    }
  }
}

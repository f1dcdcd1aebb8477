/// A refresh or a discovery under way: a sequence of how far it has come, and its report.
///
/// It runs whether or not anyone iterates. Iterating gives the newest progress, not each step, to
/// one consumer. A run is not ended by letting go of it: `cancel` ends it.
public struct ServiceRun<Progress: Sendable, Report: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Progress

  private let progress: AsyncStream<Progress>
  private let task: Task<Result<Report, ImageError>, Never>

  init(
    _ work:
      @escaping @Sendable (
        @escaping @Sendable (Progress) -> Void
      ) async throws(ImageError) -> Report
  ) {
    let (progress, continuation) = AsyncStream.makeStream(
      of: Progress.self, bufferingPolicy: .bufferingNewest(1))
    self.progress = progress
    task = Task {
      defer { continuation.finish() }
      do throws(ImageError) {
        return .success(try await work { continuation.yield($0) })
      } catch {
        return .failure(error)
      }
    }
  }

  public func makeAsyncIterator() -> AsyncStream<Progress>.Iterator {
    progress.makeAsyncIterator()
  }

  /// What came of it, when it has ended. Cancelling the waiting task cancels the run.
  public var report: Report {
    get async throws(ImageError) {
      let result = await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
      return try result.get()
    }
  }

  /// Ends the run at the edge of a batch: no further request is sent; those under way are finished
  /// and committed.
  public func cancel() { task.cancel() }
}

import Dispatch

/// The thread that answers are committed on.
///
/// A commit waits for other writers, of other processes too, and its lock belongs to a thread: it
/// must not hold up one of the few threads that tasks share.
enum CommitQueue {
  private static let queue = DispatchQueue(label: "baton-image.commits")

  static func run<Success: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Success
  ) async throws(ImageError) -> Success {
    let result: Result<Success, ImageError> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(ImageError) { continuation.resume(returning: .success(try work())) } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}

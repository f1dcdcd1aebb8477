import BatonDocuments
import BatonImage

/// How the command ends.
enum ExitStatus: Int32 {
  case done = 0
  /// The operation failed, or the image is damaged.
  case failed = 1
  case usage = 2
  /// What was asked for is incomplete in the image.
  case incomplete = 3
  /// There is no such record or key.
  case unknown = 4
  /// An image of another format or key rules.
  case incompatible = 5
  /// Busy or locked.
  case busy = 6
}

/// An error with the status it ends the command with.
struct Failure: Error {
  var status: ExitStatus
  var message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  init(_ error: ImageError) {
    let status: ExitStatus =
      switch error {
      case .usage: .usage
      case .incompatible, .foreign: .incompatible
      case .busy: .busy
      default: .failed
      }
    self.init(status, error.description)
  }

  init(_ error: DiagnosticsError) {
    self.init(.failed, error.description)
  }
}

/// Runs a call of the library and gives its error a status.
func library<Result: ~Copyable>(
  _ body: () throws(ImageError) -> Result
) throws(Failure) -> Result {
  do throws(ImageError) { return try body() } catch { throw Failure(error) }
}

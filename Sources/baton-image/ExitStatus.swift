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

  /// An error of the library about the image at a path.
  init(_ error: ImageError, image path: String) {
    switch error {
    case .usage(let message): self.init(.usage, message)
    case .response: self.init(.failed, error.description)
    case .notFound(let message):
      self.init(.failed, "\(path): " + (message == path ? "there is no image" : message))
    case .incompatible, .foreign: self.init(.incompatible, "\(path): \(error)")
    case .busy: self.init(.busy, "\(path): \(error)")
    default: self.init(.failed, "\(path): \(error)")
    }
  }

  init(_ error: DiagnosticsError, _ status: ExitStatus = .failed) {
    self.init(status, error.description)
  }
}

/// Runs a call of the library on the image at a path and gives its error a status.
func library<Result: ~Copyable>(
  _ path: String, _ body: () throws(ImageError) -> Result
) throws(Failure) -> Result {
  do throws(ImageError) { return try body() } catch { throw Failure(error, image: path) }
}

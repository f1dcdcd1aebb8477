import Synchronization
internal import LMDB

/// What an open image has beside its file: its launch, its observers, its events.
final class ImageLife: Sendable {
  let launch: Launch
  let path: String
  let readers: SlowReaders?
  private let events: (@Sendable (ImageEvent) -> Void)?
  private let hubs = Mutex<ChangeHub?>(nil)
  private let folder = Mutex<TemporaryFolder?>(nil)

  init(_ environment: Environment, path: String, _ options: Image.Options) {
    launch = Launch.of(environment)
    self.path = path
    events = options.events
    readers = options.events.map { SlowReaders(limit: options.snapshotLimit, events: $0) }
  }

  /// Tells an event. Called with no lock held.
  func tell(_ event: ImageEvent) { events?(event) }

  // MARK: Observers

  /// The image's hub, made for its first follower.
  func hub(of image: Image) -> ChangeHub {
    hubs.withLock { hub in
      if let hub { return hub }
      let made = ChangeHub(image, path: path)
      launch.add(made)
      hub = made
      return made
    }
  }

  /// Ends what follows the image's changes.
  func endObservers() {
    hubs.withLock { $0 }?.end()
  }

  /// Tells who has to know that a transaction was committed.
  func noteCommit() {
    launch.noteCommit()
    readers?.check()
  }

  // MARK: The folder of a temporary image

  func keep(_ folder: TemporaryFolder) { self.folder.withLock { $0 = folder } }

  func removeFolder() { self.folder.withLock { $0 = nil } }
}

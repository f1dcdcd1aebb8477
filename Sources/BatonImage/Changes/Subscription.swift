import Dispatch

/// A follower whose next element can be waited for.
protocol WaitingFollower: Follower {
  associatedtype Element: Sendable

  /// Has a task wait for the next element. Called on the hub's queue.
  func wait(_ continuation: CheckedContinuation<Element?, Never>)
}

extension FeedFollower: WaitingFollower {}

/// A follower's place in the hub, as long as an iterator holds it.
final class Subscription<Content: WaitingFollower>: Sendable {
  private let follower: Content
  private let image: Image
  private let hub: ChangeHub

  init(_ follower: Content, to image: Image) where Content == FeedFollower {
    self.follower = follower
    self.image = image
    hub = image.life.hub(of: image)
    hub.add(follower)
  }

  init(observer: Content, to image: Image) where Content: ObserverFollower {
    follower = observer
    self.image = image
    hub = image.life.hub(of: image)
    hub.add(observer)
  }

  deinit { hub.remove(follower) }

  /// The next element; nil when the image is closed or the task cancelled.
  func next(isolation actor: isolated (any Actor)?) async -> Content.Element? {
    let (hub, follower) = (hub, follower)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        hub.queue.async {
          follower.wait(continuation)
          hub.serve(follower)
        }
      }
    } onCancel: {
      hub.remove(follower)
    }
  }
}

public import BatonPlan

/// What an observer is told: the state of its record after a commit.
public struct Observed<Value: Sendable & Equatable>: Sendable, Equatable {
  public enum Content: Sendable, Equatable {
    case value(Value)
    /// The image has no such record, or knows its names alone.
    case missing
    case deleted
    /// The record can't be read.
    case failed(ImageError)
  }

  /// The last commit of the state that was read.
  public var commit: UInt64
  public var content: Content

  /// The value; nil when there is none.
  public var value: Value? {
    if case .value(let value) = content { value } else { nil }
  }
}

/// A record under a fragment, as commits of this process and others change it.
///
/// The first delivery is the state at the beginning. From then on there is one for each commit that
/// changed a field the fragment reads, in order of commits, each from one consistent state; a reader
/// that is slow gets the newest state instead of those between. A commit that brought equal values
/// delivers nothing, nor does one that gave fields up to save space. The sequence ends when the image
/// is closed or the task is cancelled. No transaction is held between deliveries.
///
/// What an observer shows is not evicted.
public struct Observation<Value: Sendable & Equatable>: AsyncSequence, Sendable {
  public typealias Element = Observed<Value>
  public typealias Failure = Never

  let image: Image
  let reader: ObservedReader<Value>
  let start: UInt64?

  public func makeAsyncIterator() -> Iterator {
    Iterator(Subscription(observer: Observer(reader, since: start), to: image))
  }

  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Observer<Value>>

    init(_ subscription: Subscription<Observer<Value>>) {
      self.subscription = subscription
    }

    public mutating func next() async -> Element? { await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await subscription.next(isolation: actor)
    }
  }
}

/// How an observer reads its record.
struct ObservedReader<Value: Sendable & Equatable>: Sendable {
  /// The record's id, an alias, or its key.
  var key: String
  /// Reads a record that is there.
  var read: @Sendable (_ number: UInt32, borrowing Snapshot) throws(ImageError) -> Value
}

extension Image {
  /// Observes a fragment of a record, read as JSON.
  ///
  /// - Parameters:
  ///   - id: the record's id or an alias, under the scope `type` its key, or the path of a record
  ///     without an id. The record need not be there yet.
  ///   - commit: a state that is known already: without a change since then there is no first
  ///     delivery.
  public func observe(
    _ fragment: Plan, id: String, variables: Variables = [:], since commit: UInt64? = nil
  ) -> Observation<ReadResult> {
    let identity = identity
    let reader = ObservedReader<ReadResult>(key: id) { (number, snapshot) throws(ImageError) in
      try snapshot.read(
        fragment: fragment, of: number, variables: variables, identity: identity)
    }
    return Observation(image: self, reader: reader, start: commit)
  }
}

import Synchronization

/// The discoveries of this process that are under way, so that callers of one key share a request.
///
/// A flight keeps its image, so that the image's object identity is no other's while it lasts.
final class Flights: Sendable {
  static let shared = Flights()

  typealias Flight = Task<Result<Discovery, ImageError>, Never>

  private struct Key: Hashable {
    var image: ObjectIdentifier
    var naturalKey: String
  }

  private let flights = Mutex<[Key: Flight]>([:])

  /// The flight of a natural key, started by `work` when there is none.
  ///
  /// A flight isn't cancelled with the caller that started it, as others may wait for it.
  func join(
    _ image: Image, _ naturalKey: String,
    _ work: @escaping @Sendable () async -> Result<Discovery, ImageError>
  ) -> Flight {
    let key = Key(image: ObjectIdentifier(image), naturalKey: naturalKey)
    return flights.withLock { flights in
      if let flight = flights[key] { return flight }
      let flight = Flight {
        let result = await work()
        self.flights.withLock { _ = $0.removeValue(forKey: key) }
        return withExtendedLifetime(image) { result }
      }
      flights[key] = flight
      return flight
    }
  }
}

public import BatonImage
import Foundation
import Synchronization
import TestSupport

/// What an observation delivered, gathered by a task of its own.
public final class Log: Sendable {
  private let state = Mutex<[Observed<ReadResult>]>([])
  private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

  public var entries: [Observed<ReadResult>] { state.withLock { $0 } }

  public init(_ observation: Observation<ReadResult>) {
    task.withLock {
      $0 = Task { [weak self] in
        for await entry in observation {
          guard let self else { return }
          state.withLock { $0.append(entry) }
        }
      }
    }
  }

  deinit { task.withLock { $0?.cancel() } }

  /// Fewer deliveries came than were waited for.
  public struct Late: Error {
    public var expected: Int
    public var came: Int
  }

  /// Waits until a state with a title came.
  public func waitForTitle(_ title: String) async throws {
    guard try await eventually({ entries.contains { $0.title == title } }) else {
      throw Late(expected: entries.count + 1, came: entries.count)
    }
  }

  /// Waits until `count` deliveries came.
  public func wait(for count: Int) async throws {
    guard try await eventually({ entries.count >= count }) else {
      throw Late(expected: count, came: entries.count)
    }
  }
}

extension Observed where Value == ReadResult {
  /// The field `title`; nil where there is none.
  public var title: String? {
    guard let value,
      let data = try? JSONSerialization.jsonObject(with: Data(value.data)) as? [String: Any]
    else { return nil }
    return data["title"] as? String
  }
}

extension ReadResult {
  /// The data as text.
  public var text: String { String(decoding: data, as: UTF8.self) }
}

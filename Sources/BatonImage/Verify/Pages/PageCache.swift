/// A bounded set of pages read before, by number; the one that went longest without use gives way,
/// approximately.
struct PageCache {
  private struct Slot {
    var page: TreePage
    /// Used since the hand passed last.
    var isRecent: Bool
  }

  private let capacity: Int
  private var slots: [Slot] = []
  private var places: [UInt64: Int] = [:]
  private var hand = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  mutating func page(_ number: UInt64) -> TreePage? {
    guard let place = places[number] else { return nil }
    slots[place].isRecent = true
    return slots[place].page
  }

  /// Keeps a page that is not in the cache.
  mutating func insert(_ page: TreePage) {
    if slots.count < capacity {
      places[page.number] = slots.count
      slots.append(Slot(page: page, isRecent: false))
      return
    }
    while slots[hand].isRecent {
      slots[hand].isRecent = false
      hand = (hand + 1) % capacity
    }
    places[slots[hand].page.number] = nil
    places[page.number] = hand
    slots[hand] = Slot(page: page, isRecent: false)
    hand = (hand + 1) % capacity
  }

  mutating func removeAll() {
    slots.removeAll()
    places.removeAll()
    hand = 0
  }
}

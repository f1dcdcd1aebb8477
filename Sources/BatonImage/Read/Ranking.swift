/// The few greatest of many, in descending order; equal ones in the order they came.
struct Ranking<Element> {
  private let limit: Int
  private let isGreater: (Element, Element) -> Bool
  private(set) var elements: [Element] = []

  init(_ limit: Int, by isGreater: @escaping (Element, Element) -> Bool) {
    self.limit = limit
    self.isGreater = isGreater
  }

  mutating func insert(_ element: Element) {
    if elements.count == limit, let last = elements.last, !isGreater(element, last) { return }
    let place = elements.firstIndex { isGreater(element, $0) } ?? elements.count
    elements.insert(element, at: place)
    if elements.count > limit { elements.removeLast() }
  }
}

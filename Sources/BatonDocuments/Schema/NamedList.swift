/// What a `NamedList` can hold.
protocol Named {
  var name: String { get }
}

/// Elements in order, unique by name and found by name.
///
/// A short list is searched, a long one has an index: most types have few fields and most fields
/// few arguments, and an index for each would cost more than all else in a schema.
struct NamedList<Element: Named & Sendable>: Sendable {
  private static var longestWithoutIndex: Int { 8 }

  private(set) var elements: [Element] = []
  private var index: [String: Int] = [:]

  var isEmpty: Bool { elements.isEmpty }
  var names: some Sequence<String> { elements.lazy.map(\.name) }

  subscript(name: String) -> Element? { position(of: name).map { elements[$0] } }

  func position(of name: String) -> Int? {
    if index.isEmpty { return elements.firstIndex { $0.name == name } }
    return index[name]
  }

  /// Appends `element` unless one of its name is there already, which is returned then.
  mutating func append(_ element: Element) -> Element? {
    if let position = position(of: element.name) { return elements[position] }
    elements.append(element)
    if !index.isEmpty {
      index[element.name] = elements.count - 1
    } else if elements.count > Self.longestWithoutIndex {
      for (position, element) in elements.enumerated() { index[element.name] = position }
    }
    return nil
  }

  /// Changes the element at `position`, but not its name.
  mutating func update(_ position: Int, _ change: (inout Element) -> Void) {
    change(&elements[position])
  }
}

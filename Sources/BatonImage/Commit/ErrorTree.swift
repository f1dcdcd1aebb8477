import BatonPlan

/// The errors of a response, arranged by their paths, so that a walk of the data meets those at or
/// below each field.
struct ErrorTree {
  /// The errors in the response's order.
  private(set) var errors: [FieldError] = []
  /// The errors as they may be kept: one of a field that may not be written names nothing.
  private var kept: [FieldError] = []
  private let transientFields: TransientFields?
  private var isPlaced: [Bool] = []
  private var nodes: [Node] = [Node(component: .other)]

  private struct Node {
    var component: Component
    var children: [Int] = []
    var errors: [Int] = []
  }

  private enum Component: Equatable {
    case key([UInt8])
    case index(Int)
    /// A component that names nothing, such as a fraction.
    case other
  }

  init(_ transientFields: TransientFields? = nil) {
    self.transientFields = transientFields
  }

  /// No error is at or below the place.
  static let none = -1

  /// The node of the data's root; `none` when no error has a path.
  var root: Int { nodes.count > 1 ? 0 : Self.none }

  /// Reads the member `errors` of a response.
  ///
  /// Throws `response` when it isn't a list of objects. An error without a message gets an empty
  /// one.
  @_lifetime(reader: copy reader)
  mutating func read(_ reader: inout JSONReader) throws(ImageError) {
    if reader.character == UInt8(ascii: "n") {
      try reader.skip()
      return
    }
    guard try reader.enterArray() else { return }
    repeat { try readError(&reader) } while try reader.nextElement()
  }

  @_lifetime(reader: copy reader)
  private mutating func readError(_ reader: inout JSONReader) throws(ImageError) {
    var error = FieldError(message: "")
    var components: [Component] = []
    guard try reader.enterObject() else {
      place(error, components)
      return
    }
    repeat {
      let key = try reader.key()
      switch JSONText.text(key, in: reader.bytes) {
      case "message": error.message = try JSONText.string(&reader) ?? ""
      case "type": error.code = try JSONText.string(&reader) ?? error.code
      case "path": (components, error.pathText) = try readPath(&reader)
      case "extensions": try readExtensions(&reader, &error)
      default: try reader.skip()
      }
    } while try reader.nextMember()
    place(error, components)
  }

  @_lifetime(reader: copy reader)
  private func readExtensions(
    _ reader: inout JSONReader, _ error: inout FieldError
  ) throws(ImageError) {
    guard reader.character == UInt8(ascii: "{") else {
      try reader.skip()
      return
    }
    if error.code.isEmpty { error.code = try JSONText.member("code", of: reader) ?? "" }
    let range = try reader.skip()
    error.extensionsText = reader.bytes.extracting(range).text()
  }

  @_lifetime(reader: copy reader)
  private func readPath(
    _ reader: inout JSONReader
  ) throws(ImageError) -> ([Component], String) {
    guard reader.character == UInt8(ascii: "[") else {
      try reader.skip()
      return ([], "[]")
    }
    var components: [Component] = []
    var text: [UInt8] = [UInt8(ascii: "[")]
    if try reader.enterArray() {
      repeat {
        if !components.isEmpty { text.append(UInt8(ascii: ",")) }
        if reader.character == UInt8(ascii: "\"") {
          let string = try reader.string()
          text.append(reader.bytes.extracting(string.start - 1..<string.end + 1))
          components.append(.key(JSONText.bytes(string, in: reader.bytes)))
        } else {
          let range = try reader.skip()
          let token = reader.bytes.extracting(range)
          text.append(token)
          components.append(Int(token.text()).map { .index($0) } ?? .other)
        }
      } while try reader.nextElement()
    }
    text.append(UInt8(ascii: "]"))
    return (components, String(decoding: text, as: UTF8.self))
  }

  private mutating func place(_ error: FieldError, _ components: [Component]) {
    errors.append(error)
    kept.append(redacted(error, components))
    isPlaced.append(components.isEmpty)
    guard !components.isEmpty else { return }
    var node = 0
    for component in components {
      if let child = nodes[node].children.first(where: { nodes[$0].component == component }) {
        node = child
      } else {
        nodes.append(Node(component: component))
        nodes[node].children.append(nodes.count - 1)
        node = nodes.count - 1
      }
    }
    nodes[node].errors.append(errors.count - 1)
  }

  /// The error as it may be kept beside a field that is written.
  private func redacted(_ error: FieldError, _ components: [Component]) -> FieldError {
    guard let transientFields else { return error }
    let keys = components.compactMap { if case .key(let key) = $0 { key } else { nil } }
    guard let count = transientFields.keysBeforeTransient(in: keys) else { return error }
    var steps: [Value] = []
    var passed = 0
    for component in components {
      switch component {
      case .key(let key):
        if passed == count { return keptError(of: error, at: steps) }
        passed += 1
        steps.append(.string(String(decoding: key, as: UTF8.self)))
      case .index(let index): steps.append(.int(Int64(index)))
      case .other: steps.append(.null)
      }
    }
    return keptError(of: error, at: steps)
  }

  /// The codes that outcomes are told by. Any other is the service's own text, which may name what
  /// must not be written.
  private static let commonCodes: Set<String> = ["NOT_FOUND", "FORBIDDEN"]

  private func keptError(of error: FieldError, at steps: [Value]) -> FieldError {
    FieldError(
      message: "", pathText: CanonicalJSON.text(of: .list(steps)),
      code: Self.commonCodes.contains(error.code) ? error.code : "")
  }

  /// The node below `node` for a response key; `none` when no error goes there.
  func child(of node: Int, key: Span<UInt8>) -> Int {
    guard node >= 0 else { return Self.none }
    for child in nodes[node].children {
      if case .key(let bytes) = nodes[child].component, bytes.span.isEqual(to: key) {
        return child
      }
    }
    return Self.none
  }

  /// The node below `node` for a field.
  func child(of node: Int, field: ShapeField) -> Int {
    guard node >= 0 else { return Self.none }
    let key = field.responseKey
    return child(of: node, key: key.span)
  }

  /// The node below `node` for an element of a list.
  func child(of node: Int, index: Int) -> Int {
    guard node >= 0 else { return Self.none }
    return nodes[node].children.first { nodes[$0].component == .index(index) } ?? Self.none
  }

  /// The errors at or below a node that no deeper field took, as an errors block; they are taken.
  mutating func take(_ node: Int) -> [UInt8] {
    var block: [UInt8] = []
    for index in taken(node) { kept[index].append(to: &block) }
    return block
  }

  /// The first error at or below a node, taken with the others there.
  mutating func takeFirst(_ node: Int) -> FieldError? {
    taken(node).first.map { kept[$0] }
  }

  /// Takes the errors at or below a node from all fields: theirs is not written.
  mutating func drop(_ node: Int) {
    _ = taken(node)
  }

  private mutating func taken(_ node: Int) -> [Int] {
    guard node >= 0 else { return [] }
    var found: [Int] = []
    var pending = [node]
    while let next = pending.popLast() {
      for index in nodes[next].errors where !isPlaced[index] {
        isPlaced[index] = true
        found.append(index)
      }
      pending.append(contentsOf: nodes[next].children)
    }
    return found.sorted()
  }
}

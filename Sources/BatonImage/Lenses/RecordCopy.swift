import BatonPlan

/// An owned copy of what a lens shows, for the other side of an `await`.
///
/// It holds the fields of the lens's selection, the records below them, and the fragments it spreads,
/// all of one state. Its accessors throw as the lens's do.
public struct RecordCopy<Content>: Sendable, Equatable {
  let content: RecordContent

  init(_ content: RecordContent) {
    self.content = content
  }

  /// The record's key.
  public var key: String { content.key }
  /// The name of the record's type; empty when no response said it.
  public var typeName: String { content.typeName }
  /// The commit that last changed the record.
  public var commit: UInt64 { content.commit }
}

/// What a record copy holds, whatever it is read as.
struct RecordContent: Sendable, Equatable {
  var key: String
  var typeName: String
  var commit: UInt64
  /// The fields by response key.
  var fields: [String: FieldValue] = [:]
  /// The fields of spread fragments, by the fragment's name.
  var spreads: [String: RecordContent] = [:]
}

/// A field of a record copy.
indirect enum FieldValue: Sendable, Equatable {
  case missing
  case deleted
  case null
  case errored([FieldError], stale: FieldValue?)
  case scalar(UInt8, [UInt8])
  case record(RecordContent)
  case list([FieldValue])
}

extension Lens {
  /// An owned copy of the fields the lens shows, and of the records below them.
  ///
  /// Linear in what the selection reaches. Absent fields are kept as what they are; throws only when
  /// the image is damaged.
  public func copy() throws(FieldProblem) -> RecordCopy<Content> {
    RecordCopy(try content())
  }

  private func content() throws(FieldProblem) -> RecordContent {
    var content = RecordContent(key: try key, typeName: try typeName, commit: commit)
    for index in shape.fields.indices {
      let field = shape.fields[index]
      if field.isTypename { continue }
      content.fields[String(decoding: field.responseKey, as: UTF8.self)] = try value(
        at: index, "copy")
    }
    for (name, selection) in shape.spreads {
      let group = plan.group(of: selection)
      let target = LinkTarget(number, row: row)
      content.spreads[name] = try nested(target, group: group, "copy", as: Content.self).content()
    }
    return content
  }

  private func value(at index: Int, _ key: FieldKey) throws(FieldProblem) -> FieldValue {
    guard let cell = try cell(at: index, key) else {
      return row.flags.contains(.deleted) ? .deleted : .missing
    }
    guard cell.isErrored else { return try value(of: cell, at: index, key) }
    do throws(ImageError) {
      let errors = try FieldError.decode(cell.errors)
      guard cell.isStale else { return .errored(errors, stale: nil) }
      return .errored(errors, stale: try valueOrDamage(of: cell, at: index, key))
    } catch {
      throw problem(key, from: error)
    }
  }

  private func valueOrDamage(
    of cell: borrowing CellView, at index: Int, _ key: FieldKey
  ) throws(ImageError) -> FieldValue {
    do throws(FieldProblem) { return try value(of: cell, at: index, key) } catch {
      throw .damaged(Damage("field \(error.field)", error.description))
    }
  }

  private func value(
    of cell: borrowing CellView, at index: Int, _ key: FieldKey
  ) throws(FieldProblem) -> FieldValue {
    let group = shape.fields[index].group
    switch cell.kind {
    case .null: return .null
    case .link:
      guard let link = cell.link else { throw problem(key, .damaged(Self.badCell)) }
      return try record(link, group, key)
    case .links:
      var elements: [FieldValue] = []
      for index in 0..<cell.linkCount {
        let link = cell.link(at: index)
        elements.append(link == 0 ? .null : try record(link, group, key))
      }
      return .list(elements)
    case .list: return .list(try elements(cell.payload, group, key, depth: 0))
    default: return .scalar(cell.kind.rawValue, cell.payload.copy())
    }
  }

  private static var badCell: Damage {
    Damage("cell", "its payload has not the form of its kind")
  }

  private func record(
    _ link: UInt32, _ group: Int, _ key: FieldKey
  ) throws(FieldProblem) -> FieldValue {
    guard group >= 0 else { throw problem(key, .damaged(Self.badCell)) }
    guard let target = try target(of: link, key) else { return .missing }
    guard !target.flags.contains(.deleted) else { return .deleted }
    return .record(try nested(target, group: group, key, as: Content.self).content())
  }

  private func elements(
    _ payload: Span<UInt8>, _ group: Int, _ key: FieldKey, depth: Int
  ) throws(FieldProblem) -> [FieldValue] {
    guard depth < CellKind.maximumDepth else { throw problem(key, .damaged(Self.badCell)) }
    var reader = ByteReader(payload)
    var elements: [FieldValue] = []
    while !reader.isAtEnd {
      guard let byte = reader.byte(), let kind = CellKind(rawValue: byte),
        let part = reader.prefixed()
      else { throw problem(key, .damaged(Self.badCell)) }
      switch kind {
      case .null: elements.append(.null)
      case .list:
        elements.append(.list(try self.elements(part, group, key, depth: depth + 1)))
      case .link where part.count == 4:
        elements.append(try record(part.u32(at: 0), group, key))
      case .link, .links: throw problem(key, .damaged(Self.badCell))
      default: elements.append(.scalar(kind.rawValue, part.copy()))
      }
    }
    return elements
  }
}

// MARK: Accessors

extension RecordCopy {
  /// Which of the answers a field has; nil when the selection lacks it.
  public func state(of key: String) -> FieldState? {
    switch content.fields[key] {
    case nil: nil
    case .missing: .missing
    case .deleted: .deleted
    case .null: .null
    case .errored(let errors, let stale): .errored(errors, hasStale: stale != nil)
    default: .value
    }
  }

  private func problem(_ key: String, _ reason: FieldProblem.Reason) -> FieldProblem {
    FieldProblem(record: content.key, field: key, reason: reason)
  }

  /// The value of a field; nil for null. Throws when it is absent.
  private func present(_ key: String) throws(FieldProblem) -> FieldValue? {
    switch content.fields[key] {
    case nil: throw problem(key, .notSelected)
    case .missing: throw problem(key, .missing)
    case .deleted: throw problem(key, .deleted)
    case .errored(let errors, let stale):
      throw problem(key, .errored(errors, hasStale: stale != nil))
    case .null: return nil
    case let value?: return value
    }
  }

  /// A nullable leaf.
  public func optional<Scalar: LensScalar>(
    _ key: String, as _: Scalar.Type = Scalar.self
  ) throws(FieldProblem) -> Scalar? {
    guard let value = try present(key) else { return nil }
    guard let scalar = value.scalar(Scalar.self) else {
      throw problem(key, .mismatch("the value is no \(Scalar.self)"))
    }
    return scalar
  }

  /// A non-null leaf.
  public func value<Scalar: LensScalar>(
    _ key: String, as type: Scalar.Type = Scalar.self
  ) throws(FieldProblem) -> Scalar {
    guard let value = try optional(key, as: type) else { throw problem(key, .null) }
    return value
  }

  public func string(_ key: String) throws(FieldProblem) -> String { try value(key) }
  public func int(_ key: String) throws(FieldProblem) -> Int { try value(key) }
  public func double(_ key: String) throws(FieldProblem) -> Double { try value(key) }
  public func bool(_ key: String) throws(FieldProblem) -> Bool { try value(key) }

  /// A list of leaves, null elements as nil; nil for a null list.
  public func list<Scalar: LensScalar>(
    _ key: String, of _: Scalar.Type = Scalar.self
  ) throws(FieldProblem) -> [Scalar?]? {
    guard let value = try present(key) else { return nil }
    guard case .list(let elements) = value else {
      throw problem(key, .mismatch("the value is no list"))
    }
    var scalars: [Scalar?] = []
    for element in elements {
      if element == .null {
        scalars.append(nil)
      } else if let scalar = element.scalar(Scalar.self) {
        scalars.append(scalar)
      } else {
        throw problem(key, .mismatch("an element is no \(Scalar.self)"))
      }
    }
    return scalars
  }

  /// The record of a nullable link.
  public func optionalLink<Other>(
    _ key: String, as _: Other.Type = Other.self
  ) throws(FieldProblem) -> RecordCopy<Other>? {
    guard let value = try present(key) else { return nil }
    guard case .record(let record) = value else {
      throw problem(key, .mismatch("the value is no link"))
    }
    return RecordCopy<Other>(record)
  }

  /// The record of a non-null link.
  public func link<Other>(
    _ key: String, as type: Other.Type = Other.self
  ) throws(FieldProblem) -> RecordCopy<Other> {
    guard let copy = try optionalLink(key, as: type) else { throw problem(key, .null) }
    return copy
  }

  /// The live records of a list of links, in order; nil for a null list.
  public func links<Other>(
    _ key: String, as _: Other.Type = Other.self
  ) throws(FieldProblem) -> [RecordCopy<Other>]? {
    guard let value = try present(key) else { return nil }
    guard case .list(let elements) = value else {
      throw problem(key, .mismatch("the value is no list of links"))
    }
    return elements.compactMap { element in
      guard case .record(let record) = element else { return nil }
      return RecordCopy<Other>(record)
    }
  }

  /// The same record under a fragment that the selection spreads; nil when it doesn't hold.
  public func spread<Other: Fragment>(_ fragment: Other.Type) -> RecordCopy<Other>? {
    content.spreads[fragment.plan.name].map { RecordCopy<Other>($0) }
  }
}

extension FieldValue {
  /// The value as a leaf of a Swift type; nil when it is none.
  func scalar<Scalar: LensScalar>(_: Scalar.Type) -> Scalar? {
    guard case .scalar(let kind, let payload) = self, let kind = CellKind(rawValue: kind) else {
      return nil
    }
    return Scalar(cell: ScalarCell(kind, payload.span))
  }
}

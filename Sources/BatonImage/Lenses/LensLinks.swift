import BatonPlan

extension Lens {
  /// The record a nullable link leads to, under the field's own selection; nil for null.
  ///
  /// Throws `missing` when the field or the record was never received, `deleted` when the record was
  /// deleted, and as every accessor when the field is errored.
  @_lifetime(copy self)
  public func optionalLink<Other>(
    _ key: FieldKey, as type: Other.Type = Other.self
  ) throws(FieldProblem) -> Lens<Other>? {
    guard let cell = try value(key) else { return nil }
    guard let link = cell.link else { throw problem(key, .mismatch("the value is no link")) }
    guard let target = try target(of: link, key) else { throw problem(key, .missing) }
    guard !target.flags.contains(.deleted) else { throw problem(key, .deleted) }
    return try nested(target, group: group(of: key), key, as: type)
  }

  /// The record a non-null link leads to.
  @_lifetime(copy self)
  public func link<Other>(
    _ key: FieldKey, as type: Other.Type = Other.self
  ) throws(FieldProblem) -> Lens<Other> {
    guard let lens = try optionalLink(key, as: type) else { throw problem(key, .null) }
    return lens
  }

  /// The records of a nullable list of links; nil for a null list.
  @_lifetime(copy self)
  public func optionalLinks<Other>(
    _ key: FieldKey, as _: Other.Type = Other.self
  ) throws(FieldProblem) -> LensList<Other>? {
    guard let cell = try value(key) else { return nil }
    guard cell.kind == .links else {
      throw problem(key, .mismatch("the value is no list of links"))
    }
    // SAFETY: the parent's parts are bound to the snapshot, as the list is.
    return LensList<Other>(
      links: cell.payload, group: try group(of: key), key: key,
      parent: unsafe _overrideLifetime(Lens<Other>(copying: self), copying: self))
  }

  /// The records of a non-null list of links.
  @_lifetime(copy self)
  public func links<Other>(
    _ key: FieldKey, as type: Other.Type = Other.self
  ) throws(FieldProblem) -> LensList<Other> {
    guard let list = try optionalLinks(key, as: type) else { throw problem(key, .null) }
    return list
  }

  /// The group of the selections below a field.
  func group(of key: FieldKey) throws(FieldProblem) -> Int {
    let group = shape.fields[try index(of: key)].group
    guard group >= 0 else { throw problem(key, .mismatch("the field has no selection")) }
    return group
  }

  /// The same record under a fragment that this selection spreads; nil when the fragment does not
  /// hold for the record's type or under the variables.
  @_lifetime(copy self)
  public func spread<Other: Fragment>(
    _ fragment: Other.Type
  ) throws(FieldProblem) -> Lens<Other>? {
    guard shape.spreads[fragment.plan.name] != nil else { return nil }
    do throws(ImageError) {
      let lens = try core.lens(
        fragment.plan, number, row: row, variables: plan.variables, as: fragment)
      // SAFETY: the lens keeps the core alive, whose transaction the bytes belong to.
      return unsafe _overrideLifetime(lens, copying: self)
    } catch {
      throw problem("id", from: error)
    }
  }

  /// The same record, read as another content type; for selections under a type condition.
  ///
  /// Nil when the record is not of the type named.
  @_lifetime(copy self)
  public func on<Other>(
    _ type: String, as _: Other.Type = Other.self
  ) throws(FieldProblem) -> Lens<Other>? {
    guard try typeName == type else { return nil }
    return Lens<Other>(copying: self)
  }

  /// The same view for another content type.
  @_lifetime(copy other)
  init<Other>(copying other: borrowing Lens<Other>) {
    core = other.core
    plan = other.plan
    shape = other.shape
    row = other.row
    number = other.number
    group = other.group
    acceptsStale = other.acceptsStale
  }
}

/// The records of a list of links, in the list's order.
///
/// A slot keeps its place whatever becomes of its record: `subscript` tells null, missing and
/// deleted apart, `forEach` passes the live ones.
public struct LensList<Content>: ~Escapable {
  private let links: Span<UInt8>
  private let listGroup: Int
  private let key: FieldKey
  private let parent: Lens<Content>

  @_lifetime(copy links, copy parent)
  init(links: Span<UInt8>, group: Int, key: FieldKey, parent: borrowing Lens<Content>) {
    self.links = links
    listGroup = group
    self.key = key
    self.parent = copy parent
  }

  public var count: Int { links.count / 4 }

  /// The record of a slot; nil when the server said null there.
  ///
  /// Throws `missing` when the image has no row of it, `deleted` when it was deleted. The slot must
  /// lie inside the list.
  @_lifetime(copy self)
  public func element(at index: Int) throws(FieldProblem) -> Lens<Content>? {
    precondition(index >= 0 && index < count, "the slot lies outside the list")
    let number = links.u32(at: index * 4)
    guard number != 0 else { return nil }
    guard let target = try parent.target(of: number, key) else {
      throw parent.problem(key, .missing)
    }
    guard !target.flags.contains(.deleted) else { throw parent.problem(key, .deleted) }
    return try parent.nested(target, group: listGroup, key, as: Content.self)
  }

  /// Whether the record of a slot is there: neither null, nor missing, nor deleted.
  public func isLive(at index: Int) throws(FieldProblem) -> Bool {
    let number = links.u32(at: index * 4)
    guard number != 0, let target = try parent.target(of: number, key) else { return false }
    return !target.flags.contains(.deleted)
  }

  /// Calls `body` with each live record, in order.
  public func forEach(
    _ body: (borrowing Lens<Content>) throws(FieldProblem) -> Void
  ) throws(FieldProblem) {
    for index in 0..<count where try isLive(at: index) {
      if let lens = try element(at: index) { try body(lens) }
    }
  }
}

import BatonPlan

/// A typed, read-only view of one record under one fragment, or one of its nested selections.
///
/// A lens borrows its snapshot: the compiler refuses one that is stored, returned or sent beyond it.
/// It reads the record's row in place and nothing but the fields its own selection has; `copy()`
/// gives an owned value for elsewhere. Making one costs a lookup by id and a checksum; a field costs
/// a search in the row's directory.
///
/// `Content` is the fragment, or a type that stands for a nested selection; accessors are declared in
/// extensions constrained to it. An accessor tells missing, null, errored and deleted apart and
/// never traps on what the image holds.
public struct Lens<Content>: ~Escapable {
  let core: SnapshotCore
  let plan: LensPlan
  let shape: LensShape
  let row: RowView
  let number: UInt32
  let group: Int
  /// Whether a field that is null under an error gives its last good value.
  var acceptsStale = false

  @_lifetime(borrow owner)
  init(
    _ number: UInt32, row: borrowing RowView, group: Int, plan: LensPlan, core: SnapshotCore,
    shape: LensShape, owner: borrowing SnapshotCore
  ) {
    self.core = core
    self.plan = plan
    self.number = number
    self.group = group
    self.shape = shape
    core.noteRead(of: number)
    if let trace = core.trace {
      if row.type == 0 { trace.noteUnsettled(number) }
      if shape.isOpen { trace.noteOpen() }
    }
    // SAFETY: the row's bytes belong to the core's transaction, which the lens keeps alive.
    self.row = unsafe _overrideLifetime(copy row, borrowing: owner)
  }

  /// The record's key: its id, or the path it was found at.
  public var key: String {
    get throws(FieldProblem) {
      do throws(ImageError) { return try core.keyText(of: number) } catch {
        throw problem("id", from: error)
      }
    }
  }

  /// The name of the record's type; empty when no response said it.
  public var typeName: String {
    get throws(FieldProblem) {
      guard row.type != 0 else { return "" }
      do throws(ImageError) { return try core.name(row.type) } catch {
        throw problem("__typename", from: error)
      }
    }
  }

  /// The commit that last changed the record.
  public var commit: UInt64 { row.commit }

  /// The lens, but with the last good value of fields that are null under an error.
  public var acceptingStale: Lens<Content> {
    @_lifetime(copy self)
    get {
      var lens = self
      lens.acceptsStale = true
      return lens
    }
  }

  // MARK: Fields

  /// Which of the answers a field has.
  public func state(of key: FieldKey) throws(FieldProblem) -> FieldState {
    guard let cell = try cell(key) else {
      return row.flags.contains(.deleted) ? .deleted : .missing
    }
    if cell.isErrored {
      return .errored(try errors(of: cell, key), hasStale: cell.isStale)
    }
    if cell.kind == .null { return .null }
    if let link = cell.link {
      guard let target = try target(of: link, key) else { return .missing }
      return target.flags.contains(.deleted) ? .deleted : .value
    }
    return .value
  }

  /// The errors beside a field; empty when there are none.
  public func errors(of key: FieldKey) throws(FieldProblem) -> [FieldError] {
    guard let cell = try cell(key), cell.hasErrors else { return [] }
    return try errors(of: cell, key)
  }

  private func errors(
    of cell: borrowing CellView, _ key: FieldKey
  ) throws(FieldProblem) -> [FieldError] {
    do throws(ImageError) { return try FieldError.decode(cell.errors) } catch {
      throw problem(key, from: error)
    }
  }

  /// The field of the shape a key names.
  @inline(__always)
  func index(of key: FieldKey) throws(FieldProblem) -> Int {
    guard let index = shape.index(of: key) else { throw problem(key, .notSelected) }
    return index
  }

  /// The cell of a field; nil when the field is missing.
  @inline(__always)
  @_lifetime(copy self)
  func cell(_ key: FieldKey) throws(FieldProblem) -> CellView? {
    try cell(at: index(of: key), key)
  }

  @inline(__always)
  @_lifetime(copy self)
  func cell(at index: Int, _ key: FieldKey) throws(FieldProblem) -> CellView? {
    do throws(ImageError) {
      guard let field = try shape.number(of: index, in: core) else {
        core.trace?.note(number, key: Array(shape.fields[index].storageKey.utf8))
        return nil
      }
      core.trace?.note(number, field: field)
      if let index = row.index(of: field) { return try row.cell(at: index) }
      if row.flags.contains(.spilled) {
        let found = try core.cell(of: number, field: field)
        // SAFETY: the cell's bytes belong to the core's transaction, which the lens keeps alive.
        if let found { return unsafe _overrideLifetime(found, copying: self) }
      }
      // A cleared image has its names under other numbers.
      guard try core.value(.names, UInt64(field)) == nil else { return nil }
      shape.forgetNumber(of: index)
      guard try shape.number(of: index, in: core) != nil else { return nil }
    } catch {
      throw problem(key, from: error)
    }
    return try cell(at: index, key)
  }

  /// The cell of a field that has a value; nil for null.
  ///
  /// Throws when the field is missing, or null under an error and no stale value is wanted.
  @inline(__always)
  @_lifetime(copy self)
  func value(_ key: FieldKey) throws(FieldProblem) -> CellView? {
    guard let cell = try cell(key) else {
      throw problem(key, row.flags.contains(.deleted) ? .deleted : .missing)
    }
    if cell.isErrored, !(acceptsStale && cell.isStale) {
      throw problem(key, .errored(try errors(of: cell, key), hasStale: cell.isStale))
    }
    return cell.kind == .null ? nil : cell
  }

  // MARK: Records

  /// The row a link leads to, moved or not; nil when the image has none.
  @_lifetime(copy self)
  func target(of link: UInt32, _ key: FieldKey) throws(FieldProblem) -> LinkTarget? {
    do throws(ImageError) {
      core.trace?.note(link)
      guard let found = try LinkTarget(link, in: core) else { return nil }
      if found.flags.contains(.deleted) { core.trace?.noteUnsettled(found.number) }
      // SAFETY: the row's bytes belong to the core's transaction, which the lens keeps alive.
      return unsafe _overrideLifetime(found, copying: self)
    } catch {
      throw problem(key, from: error)
    }
  }

  /// A lens of another record under a nested selection of this plan.
  @_lifetime(copy self)
  func nested<Other>(
    _ target: borrowing LinkTarget, group: Int, _ key: FieldKey, as _: Other.Type
  ) throws(FieldProblem) -> Lens<Other> {
    do throws(ImageError) {
      let type = target.row.type
      let shape = try plan.shape(of: group, type: type) { () throws(ImageError) in
        type == 0 ? "" : try core.name(type)
      }
      var lens = Lens<Other>(
        target.number, row: target.row, group: group, plan: plan, core: core, shape: shape,
        owner: core)
      lens.acceptsStale = acceptsStale
      // SAFETY: the lens keeps the core alive, whose transaction the bytes belong to.
      return unsafe _overrideLifetime(lens, copying: self)
    } catch {
      throw problem(key, from: error)
    }
  }

  // MARK: Problems

  func problem(_ key: FieldKey, _ reason: FieldProblem.Reason) -> FieldProblem {
    let record = (try? core.keyText(of: number)) ?? "record \(number)"
    return FieldProblem(record: record, field: key.description, reason: reason)
  }

  func problem(_ key: FieldKey, from error: ImageError) -> FieldProblem {
    if case .damaged(let damage) = error { return problem(key, .damaged(damage)) }
    return problem(key, .damaged(Damage("field \(key)", error.description)))
  }
}

/// The record a link leads to.
struct LinkTarget: ~Escapable {
  let number: UInt32
  let row: RowView

  var flags: RowFlags { row.flags }

  @_lifetime(copy row)
  init(_ number: UInt32, row: borrowing RowView) {
    self.number = number
    self.row = copy row
  }

  /// Nil when the image has no row of it.
  @_lifetime(borrow core)
  init?(_ link: UInt32, in core: borrowing SnapshotCore) throws(ImageError) {
    guard let row = try core.row(link) else { return nil }
    guard let target = try row.target() else {
      number = link
      self.row = row
      return
    }
    guard let moved = try core.row(target) else { return nil }
    number = target
    self.row = moved
  }
}

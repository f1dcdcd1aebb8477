/// A variable where a value is asked for.
struct VariableUse: Sendable {
  var name: String
  var offset: Int
  var expected: InputType
  /// Whether the place has a default, so that a variable that may be null will do.
  var hasDefault = false
  /// Whether the place is a field of a `@oneOf` input object, which takes no null.
  var isOneOf = false
}

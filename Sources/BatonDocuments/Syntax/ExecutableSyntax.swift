import BatonPlan

/// One definition of an executable document, as written.
enum ExecutableSyntax: Sendable {
  case operation(OperationSyntax)
  case fragment(FragmentSyntax)
}

/// An operation as written.
struct OperationSyntax: Sendable {
  /// What the operation does; never `.fragment`.
  var kind: Plan.Kind
  /// The name; nil for an anonymous operation.
  var name: Name?
  var offset: Int
  var variables: [VariableSyntax]
  var directives: [DirectiveSyntax]
  var selections: SelectionSetSyntax
}

/// A variable's declaration as written.
struct VariableSyntax: Sendable {
  /// The name without `$`; the offset is the `$`'s.
  var name: Name
  var type: TypeSyntax
  var defaultValue: ValueSyntax?
  var directives: [DirectiveSyntax]
}

/// A fragment as written.
struct FragmentSyntax: Sendable {
  var name: Name
  var condition: Name
  var directives: [DirectiveSyntax]
  var selections: SelectionSetSyntax
}

/// What stands between one pair of braces.
struct SelectionSetSyntax: Sendable {
  var offset: Int
  var items: [SelectionSyntax]
}

/// One entry of a selection set.
enum SelectionSyntax: Sendable {
  case field(FieldSyntax)
  case spread(SpreadSyntax)
  case inline(InlineFragmentSyntax)
}

/// A field as written.
struct FieldSyntax: Sendable {
  var alias: Name?
  var name: Name
  var arguments: [ArgumentSyntax]
  var directives: [DirectiveSyntax]
  var selections: SelectionSetSyntax?

  var responseKey: Name { alias ?? name }
}

/// `...Name` as written.
struct SpreadSyntax: Sendable {
  var offset: Int
  var name: Name
  var directives: [DirectiveSyntax]
}

/// `... on Type { }` as written.
struct InlineFragmentSyntax: Sendable {
  var offset: Int
  var condition: Name?
  var directives: [DirectiveSyntax]
  var selections: SelectionSetSyntax
}

/// A directive as written.
struct DirectiveSyntax: Sendable {
  /// The name without `@`; the offset is the `@`'s.
  var name: Name
  var arguments: [ArgumentSyntax]
}

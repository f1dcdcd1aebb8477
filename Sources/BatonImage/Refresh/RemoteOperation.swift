public import BatonPlan

/// An operation as a service is asked it: what to send, and the plan its answers are committed by.
///
/// Keep one per operation, as an image caches what it learns of the plan by its object identity.
public struct RemoteOperation: Sendable {
  public var plan: Plan
  /// The document's text, sent as it is; it may hold other operations too.
  public var document: String
  /// Which variable takes the ids of a refresh; nil when the plan's list lookup tells, as
  /// `nodes(ids: $ids)` does.
  public var idsVariable: String?

  /// - Parameter plan: the operation's own plan, compiled from `document`.
  public init(plan: Plan, document: String, idsVariable: String? = nil) {
    self.plan = plan
    self.document = document
    self.idsVariable = idsVariable
  }

  /// The name to choose the operation by; nil for an anonymous one.
  public var name: String? { plan.name.isEmpty ? nil : plan.name }
}

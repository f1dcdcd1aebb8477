import BatonPlan

extension PlanCompiler {
  /// Looks for fragments that spread themselves, depth first with a stack of its own.
  ///
  /// - Returns: Whether there are none.
  mutating func checkCycles() -> Bool {
    var open: Set<Int> = []
    var done: Set<Int> = []
    var isAcyclic = true
    for start in spreads.keys.sorted() where !done.contains(start) {
      var stack = [(fragment: start, next: 0)]
      open.insert(start)
      while let (fragment, next) = stack.last {
        guard let spread = spreads[fragment]?.dropFirst(next).first else {
          open.remove(fragment)
          done.insert(fragment)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        guard let inner = document.fragment(spread.name.text) else { continue }
        if open.contains(inner) {
          isAcyclic = false
          findings.add(
            "the fragment '\(spread.name.text)' spreads itself"
              + (stack.count > 1 && inner != fragment ? " by way of others" : ""),
            at: place(spread.offset))
        } else if !done.contains(inner) {
          open.insert(inner)
          stack.append((inner, 0))
        }
      }
    }
    return isAcyclic
  }

  /// Checks that a subscription has one root field, which is not conditional.
  mutating func checkSubscription(_ operation: OperationSyntax) {
    var keys: Set<String> = []
    var seen: Set<Int> = [0]
    var slots = [0]
    while let slot = slots.popLast() {
      for (item, syntax) in zip(pool[slot].items, notes[slot].syntax) {
        switch item {
        case .field(let field):
          keys.insert(field.responseKey)
          if field.name.hasPrefix("__") {
            findings.add(
              "a subscription's root field can't be '\(field.name)'", at: place(syntax.offset))
          }
          if !field.conditions.isEmpty { refuseCondition(at: syntax.offset) }
        case .refinement(let refinement):
          if !refinement.conditions.isEmpty { refuseCondition(at: syntax.offset) }
          if seen.insert(refinement.selection).inserted { slots.append(refinement.selection) }
        }
      }
    }
    if keys.count > 1 {
      let names = keys.sorted().prefix(5).joined(separator: ", ")
      findings.add(
        "a subscription has one root field; this has \(keys.count): \(names)",
        at: place(operation.offset))
    }
  }

  private mutating func refuseCondition(at offset: Int) {
    findings.add(
      "'@include' and '@skip' can't stand at a subscription's root", at: place(offset))
  }
}

extension SelectionSyntax {
  /// Where the entry starts.
  var offset: Int {
    switch self {
    case .field(let field): field.responseKey.offset
    case .spread(let spread): spread.offset
    case .inline(let inline): inline.offset
    }
  }
}

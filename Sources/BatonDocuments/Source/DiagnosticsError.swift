/// Everything that was found wrong with the sources of a schema or a document.
public struct DiagnosticsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was found, by source in the order given, then by position; never empty.
  public let diagnostics: [Diagnostic]

  /// One diagnostic a line.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }

  /// Turns findings into diagnostics: sorted, located, each said once.
  init(_ findings: [Finding], in sources: [Source]) {
    let locations = Self.locate(findings, in: sources)
    let sorted = findings.sorted {
      ($0.place.source, $0.place.offset) < ($1.place.source, $1.place.offset)
    }
    var diagnostics: [Diagnostic] = []
    var seen: Set<Diagnostic> = []
    for finding in sorted {
      let location = locations[finding.place] ?? Location(line: 1, column: 1)
      var message = finding.message
      if let related = finding.related, let first = locations[related] {
        let name = sources[related.source].name
        message += "; the first is at \(name):\(first.line):\(first.column)"
      }
      let diagnostic = Diagnostic(
        source: sources[finding.place.source].name, line: location.line,
        column: location.column, message: message)
      if seen.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
    }
    self.diagnostics = diagnostics
  }

  /// The locations of all places that the findings name, one walk a source.
  private static func locate(
    _ findings: [Finding], in sources: [Source]
  ) -> [Place: Location] {
    let places = Set(findings.map(\.place) + findings.compactMap(\.related))
    var found: [Place: Location] = [:]
    for (source, places) in Dictionary(grouping: places, by: \.source) {
      let offsets = places.map(\.offset).sorted()
      for (offset, location) in zip(offsets, sources[source].locations(of: offsets)) {
        found[Place(source: source, offset: offset)] = location
      }
    }
    return found
  }
}

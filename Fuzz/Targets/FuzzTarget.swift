package import ImageFixtures

/// What is fuzzed, by the name of its corpus.
///
/// Each target takes any bytes and does with them what hostile bytes of their kind can reach. It
/// throws a finding for a wrong outcome; a crash, a hang or a leap in memory is for the driver to
/// see. The same bytes do the same each time.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// Changes to the structure and the values of an image, which is then verified and read.
  case images
  /// Raw pages.
  case pages
  /// Raw rows, cells, names and lists, read by everything that reads records.
  case rows
  /// Responses, whole and in parts, committed by several plans.
  case responses
  /// Documents and schemas.
  case documents
  /// Natural keys, storage keys and values.
  case keys
  /// The file of `--config`.
  case configuration

  /// Runs the target on an input, with files in `scratch`.
  package func run(_ input: [UInt8], scratch: Scratch) throws(Finding) {
    switch self {
    case .images: try ImageTarget.run(input, scratch: scratch)
    case .pages: try PageTarget.run(input, scratch: scratch)
    case .rows: try RowTarget.run(input)
    case .responses: try ResponseTarget.run(input, scratch: scratch)
    case .documents: try DocumentTarget.run(input)
    case .keys: try KeyTarget.run(input)
    case .configuration: try ConfigurationTarget.run(input)
    }
  }
}

import BatonImage
import BatonPlan

/// `verify`: walks every page and row.
enum VerifyVerb: Verb {
  static let name = "verify"
  static let operands = "IMAGE [--json]"
  static let summary = "check every page and row"
  static let options = [Option.json]
  static let operandCount = 1...1

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let report = try library(arguments.operands[0]) { () throws(ImageError) in
      try Verifier.verify(at: arguments.operands[0])
    }
    if arguments.has(.json) {
      Output.print(CanonicalJSON.text(of: json(report)))
    } else if report.isSound {
      Output.print("sound: \(report.pages) pages, \(report.records) records")
    }
    for fault in report.faults { Output.error("baton-image verify: \(fault)") }
    if report.faultCount > report.faults.count {
      Output.error("baton-image verify: \(report.faultCount - report.faults.count) more faults")
    }
    return report.isSound ? .done : .failed
  }

  private static func json(_ report: VerificationReport) -> Value {
    .object([
      .init("sound", .boolean(report.isSound)),
      .init("pages", .number(report.pages)),
      .init("freePages", .number(report.freePages)),
      .init("records", .number(report.records)),
      .init("bytes", .number(report.bytes)),
      .init("commit", .number(report.commit)),
      .init("faultCount", .number(report.faultCount)),
      .init("faults", .list(report.faults.map(json))),
      .init("notes", .list(report.notes.map(json))),
    ])
  }

  private static func json(_ damage: Damage) -> Value {
    .object([
      .init("structure", .string(damage.structure)),
      .init("offset", damage.offset.map { .number($0) } ?? .null),
      .init("message", .string(damage.message)),
    ])
  }
}

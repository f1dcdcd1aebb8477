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
    let report = try library { () throws(ImageError) in
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
      .init("pages", .int(Int64(clamping: report.pages))),
      .init("freePages", .int(Int64(clamping: report.freePages))),
      .init("records", .int(Int64(clamping: report.records))),
      .init("bytes", .int(Int64(clamping: report.bytes))),
      .init("commit", .int(Int64(clamping: report.commit))),
      .init("faultCount", .int(Int64(report.faultCount))),
      .init("faults", .list(report.faults.map(json))),
      .init("notes", .list(report.notes.map(json))),
    ])
  }

  private static func json(_ damage: Damage) -> Value {
    .object([
      .init("structure", .string(damage.structure)),
      .init("offset", damage.offset.map { .int(Int64(clamping: $0)) } ?? .null),
      .init("message", .string(damage.message)),
    ])
  }
}

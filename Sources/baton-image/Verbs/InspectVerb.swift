import BatonImage
import BatonPlan

/// `inspect`: the image, or one record of it, for a person.
enum InspectVerb: Verb {
  static let name = "inspect"
  static let operands = "IMAGE [--json] [--id ID]"
  static let summary = "show what an image holds, or one record of it"
  static let options = [id, .json]
  static let operandCount = 1...1

  private static let id = Option(
    name: "--id", value: "ID", help: "the card of the record with this id, alias or path")

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let path = arguments.operands[0]
    let image = try library(path) { () throws(ImageError) in try UntrustedImage(path: path) }
    guard let id = arguments[id] else {
      let summary = try library(path) { () throws(ImageError) in try image.summary() }
      if arguments.has(.json) {
        Output.print(CanonicalJSON.text(of: SummaryReport.json(summary)))
      } else {
        Output.print(SummaryReport.text(summary, path: path))
      }
      return .done
    }
    let (card, miss) = try library(path) { () throws(ImageError) in
      try image.reading { (snapshot) throws(ImageError) in
        (try snapshot.card(id), try snapshot.miss(of: Array(id.utf8)))
      }
    }
    guard let card else { throw Failure(.unknown, unknown(id, miss)) }
    if arguments.has(.json) {
      Output.write(CardReport.json(card) + [UInt8(ascii: "\n")])
    } else {
      Output.print(CardReport.text(card))
    }
    return .done
  }

  private static func unknown(_ id: String, _ miss: Miss?) -> String {
    let message = "there is no record \(printable(id))"
    return miss.map { message + "; the id was " + CardReport.text($0) } ?? message
  }
}

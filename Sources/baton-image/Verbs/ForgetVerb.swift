import BatonImage

/// `forget`: deletes a record, or a natural key.
enum ForgetVerb: Verb {
  static let name = "forget"
  static let operands = "IMAGE --id ID | --key KEY"
  static let summary = "delete a record, or forget a natural key"
  static let options = [id, key]
  static let operandCount = 1...1

  private static let id = Option(
    name: "--id", value: "ID", help: "the record to delete, by its id or an alias")
  private static let key = Option(
    name: "--key", value: "KEY", help: "the natural key to forget; its record stays")

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    guard arguments.has(id) != arguments.has(key) else {
      throw Failure(.usage, "either --id or --key is expected")
    }
    let commit = try library(arguments.operands[0]) { () throws(ImageError) in
      let image = try Image.open(
        path: arguments.operands[0], options: .forWriting(creates: false))
      let commit =
        if let text = arguments[id] {
          try image.forget(id: text)
        } else {
          try image.forget(naturalKey: arguments[key] ?? "")
        }
      try image.close()
      return commit
    }
    let shown = printable(arguments[id] ?? arguments[key] ?? "")
    guard let commit else {
      throw Failure(.unknown, "there is no such \(arguments.has(id) ? "record" : "key"): \(shown)")
    }
    Output.print("commit \(commit): forgot \(shown)")
    return .done
  }
}

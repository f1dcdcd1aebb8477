import BatonImage

/// `export`: the records as JSON, a record a line.
enum ExportVerb: Verb {
  static let name = "export"
  static let operands = "IMAGE [--id ID]..."
  static let summary = "dump the records as JSON"
  static let options = [id]
  static let operandCount = 1...1

  private static let id = Option(
    name: "--id", value: "ID", help: "only the record with this key", isRepeatable: true)

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let dump: [UInt8]
    do throws(ImageError) {
      let image = try UntrustedImage(path: arguments.operands[0])
      dump = try image.reading { (snapshot) throws(ImageError) in
        var dump: [UInt8] = []
        try snapshot.export(keys: arguments.all(id)) { dump.append(contentsOf: $0) }
        return dump
      }
    } catch {
      if case .notFound(let message) = error, arguments.has(id) {
        throw Failure(.unknown, message)
      }
      throw Failure(error, image: arguments.operands[0])
    }
    Output.write(dump)
    return .done
  }
}

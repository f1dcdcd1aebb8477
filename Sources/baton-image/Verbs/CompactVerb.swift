import BatonImage
import Foundation

/// `compact`: a copy without free pages.
enum CompactVerb: Verb {
  static let name = "compact"
  static let operands = "IMAGE OUT"
  static let summary = "write a compacted copy into a new file"
  static let options: [Option] = []
  static let operandCount = 2...2

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let (path, out) = (arguments.operands[0], arguments.operands[1])
    guard (try? FileManager.default.attributesOfItem(atPath: out)) == nil else {
      throw Failure(.failed, "\(out) is there already")
    }
    let before = try library(path) { () throws(ImageError) in try Verifier.verify(at: path) }
    // The engine must not walk a file that has a fault.
    if let fault = before.faults.first { throw Failure(.failed, "\(path): \(fault)") }
    let after = try library(path) { () throws(ImageError) in
      let image = try Image.open(path: path, options: .forWriting(creates: false))
      let after = try image.copyCompacted(toPath: out)
      try image.close()
      return after
    }
    Output.print("\(Quantity.bytes(before.bytes)) before, \(Quantity.bytes(after.bytes)) after")
    return .done
  }
}

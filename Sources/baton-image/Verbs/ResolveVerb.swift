import BatonImage
import BatonPlan

/// `resolve`: natural keys to ids.
enum ResolveVerb: Verb {
  static let name = "resolve"
  static let operands = "IMAGE KEY..."
  static let summary = "natural keys to ids"
  static let options: [Option] = []
  static let operandCount = 2...Int.max

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let keys = arguments.operands.dropFirst()
    let ids = try library(arguments.operands[0]) { () throws(ImageError) in
      let image = try UntrustedImage(path: arguments.operands[0])
      return try image.reading { (snapshot) throws(ImageError) in
        var ids: [String?] = []
        for key in keys {
          if let number = try snapshot.number(ofNaturalKey: key) {
            ids.append(try snapshot.keyText(of: number))
          } else {
            ids.append(nil)
          }
        }
        return ids
      }
    }
    for (key, id) in zip(keys, ids) {
      if let id { Output.print(id) } else { Output.error("baton-image resolve: unknown: \(key)") }
    }
    return ids.contains(nil) ? .unknown : .done
  }
}

/// `keys`: every natural key and alias with the id it leads to.
enum KeysVerb: Verb {
  static let name = "keys"
  static let operands = "IMAGE [--json]"
  static let summary = "list natural keys and aliases"
  static let options = [Option.json]
  static let operandCount = 1...1

  static func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let names = try library(arguments.operands[0]) { () throws(ImageError) in
      let image = try UntrustedImage(path: arguments.operands[0])
      return try image.reading { (snapshot) throws(ImageError) in
        try snapshot.otherNames()
      }
    }
    if arguments.has(.json) {
      let keys = names.keys.map { key in
        Value.object([
          .init("key", .string(key.text)), .init("id", .string(key.id)),
          .init("superseded", .boolean(!key.isLive)),
        ])
      }
      let aliases = names.aliases.map { alias in
        Value.object([.init("from", .string(alias.from)), .init("to", .string(alias.to))])
      }
      Output.print(
        CanonicalJSON.text(
          of: .object([.init("keys", .list(keys)), .init("aliases", .list(aliases))])))
      return .done
    }
    for key in names.keys {
      Output.print("\(key.text)\t\(key.id)" + (key.isLive ? "" : "\tsuperseded"))
    }
    for alias in names.aliases { Output.print("\(alias.from)\t\(alias.to)") }
    return .done
  }
}

import BatonDocuments
import BatonPlan
import Testing

/// Generated documents, written in as many ways as the grammar has, mean what they were made of.
@Suite(.timeLimit(.minutes(60))) struct RoundTripTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a generated value is read as it was made, however it is written`(_ seed: UInt64) throws {
    var writer = Writer(seed: seed)
    for _ in 0..<25 {
      let value = writer.value(depth: 4)
      let text = writer.text(of: value)
      try #require(try LexicalTests.value(text) == .constant(value), "seed \(seed): \(text)")
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a generated document's plan has the fields it was made of`(_ seed: UInt64) throws {
    var writer = Writer(seed: seed)
    let tree = writer.tree(depth: 5)
    let text = writer.document(of: tree)
    let plan = try plan(text)
    #expect(Writer.keys(of: plan, 0) == tree.keys, "seed \(seed): \(text)")
  }
}

/// A selection as generated: fields with and without a selection, under unique keys.
struct Tree {
  var fields: [(key: String, below: Tree?)]

  /// The keys, those below in braces.
  var keys: String {
    fields.map { $0.key + ($0.below.map { "{\($0.keys)}" } ?? "") }.joined(separator: " ")
  }
}

/// Generates values and documents and writes them in random style.
struct Writer {
  private var generator: Generator
  private var fragments: [String] = []
  private var count = 0

  init(seed: UInt64) {
    generator = Generator(seed: seed)
  }

  /// The keys of a plan's selection, refinements looked through.
  static func keys(of plan: Plan, _ slot: Int) -> String {
    plan.selections[slot].items.map { item in
      switch item {
      case .field(let field):
        field.responseKey + (field.selection.map { "{\(keys(of: plan, $0))}" } ?? "")
      case .refinement(let refinement):
        keys(of: plan, refinement.selection)
      }
    }.joined(separator: " ")
  }

  mutating func tree(depth: Int) -> Tree {
    Tree(
      fields: (0...generator.below(4)).map { _ in
        count += 1
        return ("k\(count)", depth > 0 && generator.chance(50) ? tree(depth: depth - 1) : nil)
      })
  }

  mutating func document(of tree: Tree) -> String {
    let operation = (generator.chance(50) ? "query Q" : "") + selection(tree)
    return ([operation] + fragments).shuffled(using: &generator).joined(separator: space())
  }

  /// Writes fields in braces, any run of them in a fragment.
  private mutating func selection(_ tree: Tree) -> String {
    var text = "{"
    var rest = tree.fields[...]
    while !rest.isEmpty {
      let run = Tree(fields: Array(rest.prefix(1 + generator.below(rest.count))))
      rest = rest.dropFirst(run.fields.count)
      switch generator.below(4) {
      case 0:
        text += space() + "..." + (generator.chance(50) ? " on T" : "") + selection(run)
      case 1:
        count += 1
        let name = "F\(count)"
        fragments.append("fragment \(name)" + space() + "on T" + selection(run))
        text += "..." + name + space()
      default:
        for field in run.fields {
          let name = generator.chance(50) ? "\(field.key)\(space()):\(space())name" : field.key
          text += space() + name + space()
          text += field.below.map { selection($0) } ?? ""
        }
      }
    }
    return text + "}"
  }

  mutating func value(depth: Int) -> Value {
    switch generator.below(depth > 0 ? 8 : 6) {
    case 0: return .boolean(generator.chance(50))
    case 1: return .int(Int64(bitPattern: generator.next()) >> Int64(generator.below(64)))
    case 2:
      let double = Double(bitPattern: generator.next())
      return .float(double.isFinite ? double : 0.5)
    case 3: return .string(string())
    case 4: return .enumeration(["A", "b_2", "on", "query", "__x"][generator.below(5)])
    case 5: return .float(Double(generator.below(1_000_000)) / 1000)
    case 6: return .list((0..<generator.below(4)).map { _ in value(depth: depth - 1) })
    default:
      return .object(
        (0..<generator.below(4)).map { Value.Member("m\($0)", value(depth: depth - 1)) })
    }
  }

  private mutating func string() -> String {
    var string = ""
    for _ in 0..<generator.below(12) {
      let bound: UInt32 = generator.chance(60) ? 0x7F : 0x10FFFF
      if let scalar = Unicode.Scalar(UInt32.random(in: 0...bound, using: &generator)) {
        string.unicodeScalars.append(scalar)
      }
    }
    return string
  }

  mutating func text(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let boolean): "\(boolean)"
    case .int(let int): "\(int)"
    case .float(let float): "\(float)"
    case .enumeration(let name): name
    case .string(let string): text(of: string)
    case .list(let items):
      "[" + items.map { space() + text(of: $0) + " " }.joined() + "]"
    case .object(let members):
      "{" + members.map { space() + $0.name + space() + ":" + text(of: $0.value) + " " }.joined()
        + "}"
    }
  }

  private mutating func text(of string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      let mustEscape = ["\"", "\\", "\n", "\r"].contains(scalar)
      guard mustEscape || generator.chance(20) else {
        text.unicodeScalars.append(scalar)
        continue
      }
      let units = Array(String(scalar).utf16)
      if generator.chance(50) {
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: generator.chance(50)) + "}"
      } else {
        for unit in units {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return text + "\""
  }

  private mutating func space() -> String {
    [" ", "\n", "\r\n", "\t", ",", " # x\n", "\u{FEFF} ", " , "][generator.below(8)]
  }
}

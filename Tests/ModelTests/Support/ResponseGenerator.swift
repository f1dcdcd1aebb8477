import TestSupport

/// Makes random responses to documents.
struct ResponseGenerator {
  private let document: ModelDocument
  private var generator: SeededGenerator
  private var errors: [ModelError] = []

  private typealias Answer = ModelResponse.Answer
  private typealias Path = [ModelError.Step]

  static func response(
    to document: ModelDocument, using generator: inout SeededGenerator
  ) -> ModelResponse {
    var maker = ResponseGenerator(document: document, generator: generator)
    var response = ModelResponse(data: maker.object("Query", document.root, at: []))
    if maker.generator.oneIn(8) { maker.addError(at: []) }
    if maker.generator.oneIn(25) {
      // Without data a response says why.
      response.data = nil
      maker.addError(at: [])
    }
    response.errors = maker.errors.shuffled(using: &maker.generator)
    generator = maker.generator
    return response
  }

  private init(document: ModelDocument, generator: SeededGenerator) {
    self.document = document
    self.generator = generator
  }

  private mutating func object(
    _ type: String, _ selections: [ModelDocument.Selection], at path: Path
  ) -> Answer {
    var id: String?
    var members: [ModelResponse.Member] = []
    for asked in document.collect(selections, type: type) {
      let place = path + [.key(asked.responseKey)]
      if let field = asked.field, field.type == "ID" {
        let value = id ?? "\(type)\(Int.random(in: 0...3, using: &generator))"
        id = value
        members.append(.init(asked: asked, answer: .leaf("\"\(value)\"")))
      } else if let field = asked.field {
        let answer = answer(field, asked.selections, depth: field.listDepth, at: place)
        members.append(.init(asked: asked, answer: answer))
      } else {
        members.append(.init(asked: asked, answer: .null))
      }
      if generator.oneIn(60) { addError(at: place) }
    }
    if generator.oneIn(4) { members.shuffle(using: &generator) }
    return .object(type: type, id: id, members)
  }

  private mutating func answer(
    _ field: ModelSchema.Field, _ selections: [ModelDocument.Selection], depth: Int, at path: Path
  ) -> Answer {
    if generator.oneIn(7) {
      // As often the server's own null as one that an error at it or below it explains.
      if generator.oneIn(2) { addError(at: path) }
      return .null
    }
    guard depth == 0 else {
      let count = Int.random(in: 0...3, using: &generator)
      return .list(
        (0..<count).map { index in
          answer(field, selections, depth: depth - 1, at: path + [.index(index)])
        })
    }
    guard ModelSchema.isComposite(field.type) else { return .leaf(token(of: field.type)) }
    let types = ModelSchema.objectTypes(of: field.type)
    return object(types[Int.random(in: 0..<types.count, using: &generator)], selections, at: path)
  }

  /// Adds an error at a path, or at one that goes on from it, to a field or to nowhere.
  private mutating func addError(at path: Path) {
    var path = path
    if generator.oneIn(2) {
      if generator.oneIn(3) { path.append(.index(Int.random(in: 0...4, using: &generator))) }
      let names = ["title", "number", "id", "nope", "detail", "__typename"]
      path.append(.key(names[Int.random(in: 0..<names.count, using: &generator)]))
    }
    errors.append(ModelError.random(at: path, using: &generator))
    if generator.oneIn(5) { errors.append(ModelError(message: "second", path: path)) }
  }

  private mutating func token(of type: String) -> String {
    let number = Int.random(in: 0...3, using: &generator)
    switch type {
    case "Int": return ["0", "1", "-7", "70000"][number]
    case "Float": return ["0.5", "1.5", "-2.25", "100.125"][number]
    case "Boolean": return number < 2 ? "true" : "false"
    default: return ["\"\"", "\"x\"", "\"y z\"", "\"w\""][number]
    }
  }
}

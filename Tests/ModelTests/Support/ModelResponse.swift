/// A random response to a document, as what it was made of.
struct ModelResponse {
  /// Nil for a response without data.
  var data: Answer?
  var errors: [ModelError] = []

  indirect enum Answer {
    case null
    /// A scalar as its JSON token.
    case leaf(String)
    case list([Answer])
    case object(type: String, id: String?, [Member])
  }

  struct Member {
    var asked: ModelDocument.Collected
    var answer: Answer
  }

  var text: String {
    var text = "{\"data\":" + (data.map(Self.text) ?? "null")
    if !errors.isEmpty {
      text += ",\"errors\":[" + errors.map(\.text).joined(separator: ",") + "]"
    }
    return text + "}"
  }

  private static func text(of answer: Answer) -> String {
    switch answer {
    case .null: return "null"
    case .leaf(let token): return token
    case .list(let elements): return "[" + elements.map(text).joined(separator: ",") + "]"
    case .object(let type, _, let members):
      let texts = members.map { member in
        let value = member.asked.field == nil ? "\"\(type)\"" : text(of: member.answer)
        return "\"\(member.asked.responseKey)\":\(value)"
      }
      return "{" + texts.joined(separator: ",") + "}"
    }
  }
}

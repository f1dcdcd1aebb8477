/// What is wrong in a configuration file, and where.
package struct ConfigurationProblem: Error {
  package var path: String
  package var message: String

  init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }
}

/// Identity rules from the JSON of `--config`.
package enum Configuration {
  package static func rules(_ value: Value) throws(ConfigurationProblem) -> IdentityRules {
    let root = try members(value, at: "$", allowed: ["identity", "transient", "lookups"])
    var scope = IdentityRules.Scope.global
    var defaultKey = ["id"]
    var types: [String: [String]] = [:]
    if let identity = root["identity"] {
      let path = "$.identity"
      let parts = try members(identity, at: path, allowed: ["scope", "default", "types"])
      if let value = parts["scope"] { scope = try self.scope(value, at: path + ".scope") }
      if let value = parts["default"] { defaultKey = try keyFields(value, at: path + ".default") }
      if let value = parts["types"] {
        for member in try object(value, at: path + ".types") {
          types[member.name] = try keyFields(member.value, at: "\(path).types.\(member.name)")
        }
      }
    }
    var transientTypes: [String] = []
    var transientFields: [String] = []
    if let transient = root["transient"] {
      let parts = try members(transient, at: "$.transient", allowed: ["types", "fields"])
      if let value = parts["types"] { transientTypes = try strings(value, at: "$.transient.types") }
      if let value = parts["fields"] {
        transientFields = try strings(value, at: "$.transient.fields")
      }
    }
    return IdentityRules(
      scope: scope, defaultKey: defaultKey, types: types, transientTypes: Set(transientTypes),
      transientFields: Set(transientFields), lookups: try lookups(root["lookups"]))
  }

  private static func scope(
    _ value: Value, at path: String
  ) throws(ConfigurationProblem) -> IdentityRules.Scope {
    guard case .string(let text) = value, let scope = IdentityRules.Scope(rawValue: text) else {
      throw ConfigurationProblem(path, "\"global\" or \"type\" is expected")
    }
    return scope
  }

  private static func keyFields(
    _ value: Value, at path: String
  ) throws(ConfigurationProblem) -> [String] {
    let fields = try strings(value, at: path)
    guard !fields.isEmpty else { throw ConfigurationProblem(path, "a key field is expected") }
    return fields
  }

  private static func lookups(_ value: Value?) throws(ConfigurationProblem) -> [Lookup] {
    guard let value else { return [] }
    guard case .list(let elements) = value else {
      throw ConfigurationProblem("$.lookups", "a list is expected")
    }
    var lookups: [Lookup] = []
    for (index, element) in elements.enumerated() {
      let path = "$.lookups[\(index)]"
      let allowed = ["field", "type", "argument", "arguments"]
      let parts = try members(element, at: path, allowed: allowed)
      guard let field = parts["field"] else {
        throw ConfigurationProblem(path, "field is missing")
      }
      let arguments: [String]
      switch (parts["argument"], parts["arguments"]) {
      case (let one?, nil): arguments = [try string(one, at: path + ".argument")]
      case (nil, let several?): arguments = try strings(several, at: path + ".arguments")
      default: throw ConfigurationProblem(path, "either argument or arguments is expected")
      }
      guard !arguments.isEmpty else {
        throw ConfigurationProblem(path + ".arguments", "an argument is expected")
      }
      let type: String? =
        switch parts["type"] {
        case nil, .null?: nil
        case let type?: try string(type, at: path + ".type")
        }
      lookups.append(
        Lookup(try string(field, at: path + ".field"), type: type, arguments: arguments))
    }
    return lookups
  }

  // MARK: Kinds

  private static func object(
    _ value: Value, at path: String
  ) throws(ConfigurationProblem) -> [Value.Member] {
    guard case .object(let members) = value else {
      throw ConfigurationProblem(path, "an object is expected")
    }
    return members
  }

  private static func members(
    _ value: Value, at path: String, allowed: [String]
  ) throws(ConfigurationProblem) -> [String: Value] {
    var found: [String: Value] = [:]
    for member in try object(value, at: path) {
      guard allowed.contains(member.name) else {
        let names = allowed.joined(separator: ", ")
        throw ConfigurationProblem("\(path).\(member.name)", "unknown; there are \(names)")
      }
      found[member.name] = member.value
    }
    return found
  }

  private static func string(
    _ value: Value, at path: String
  ) throws(ConfigurationProblem) -> String {
    guard case .string(let text) = value, !text.isEmpty else {
      throw ConfigurationProblem(path, "a string is expected")
    }
    return text
  }

  private static func strings(
    _ value: Value, at path: String
  ) throws(ConfigurationProblem) -> [String] {
    guard case .list(let elements) = value else {
      throw ConfigurationProblem(path, "a list of strings is expected")
    }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      texts.append(try string(element, at: "\(path)[\(index)]"))
    }
    return texts
  }
}

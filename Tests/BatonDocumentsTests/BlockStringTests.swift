import BatonDocuments
import BatonPlan
import Testing

/// The specification's `BlockStringValue`.
@Suite struct BlockStringTests {
  @Test(arguments: [
    ("", ""), ("one line", "one line"), ("  kept at the first line", "  kept at the first line"),
    (
      "\n    Hello,\n      World!\n\n    Yours,\n      GraphQL.\n  ",
      "Hello,\n  World!\n\nYours,\n  GraphQL."
    ),
    ("  first\n    second\n      third", "  first\nsecond\n  third"),
    ("\r\n  a\r\n  b\r\n", "a\nb"), ("\r  a\r   b\r", "a\n b"),
    ("\n\n \t \n", ""), (" \n ", ""), ("\n\ta\n\t\tb", "a\n\tb"),
    ("\n  a\n\n  b\n", "a\n\nb"), ("\n  a\n \n  b\n", "a\n\nb"),
    ("\n  a\n      \n  b\n", "a\n    \nb"),
    (#"say \""" twice \""""#, #"say """ twice """"#),
    (#"no \n escape \u0041"#, #"no \n escape \u0041"#),
    (#"\\""" and \"#, #"\""" and \"#), (#"quotes " and "" inside"#, #"quotes " and "" inside"#),
    ("\n    \u{E9}\n  \u{1F600}\n", "  \u{E9}\n\u{1F600}"),
  ])
  func `a block string loses shared indentation and blank ends`(
    _ raw: String, _ value: String
  ) throws {
    // A backslash right before the closing quotes would escape them.
    let padded = raw.hasSuffix("\\") ? raw + "\n" : raw
    let template = try LexicalTests.value(#"""""# + padded + #"""""#)
    #expect(template == .constant(.string(value)))
  }

  @Test func `a block string may be a description anywhere one is allowed`() throws {
    let text = #"""
      """ The operation """ query Q(""" The variable """ $a: Int) { f(a: $a) }
      "The fragment" fragment F on T { x }
      """#
    let document = try document(text)
    #expect(document.operationNames == ["Q"])
    #expect(document.fragmentNames == ["F"])
  }
}

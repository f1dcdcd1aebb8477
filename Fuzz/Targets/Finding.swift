/// Something a target met that must not be, whatever the input.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

import Testing

extension Tag {
  /// Files and bytes that were harmed.
  @Tag static var damage: Self
  /// Takes seconds.
  @Tag static var slow: Self
}

/// The situations of Docs/Testing.md that a test shows.
extension Tag {
  @Tag static var S1: Self
  @Tag static var S2: Self
  @Tag static var S4: Self
  @Tag static var S5: Self
  @Tag static var S6: Self
  @Tag static var S7: Self
  @Tag static var S9: Self
  @Tag static var S10: Self
  @Tag static var S11: Self
  @Tag static var S12: Self
  @Tag static var S14: Self
  @Tag static var S16: Self
  @Tag static var S17: Self
  @Tag static var S20: Self
  @Tag static var S22: Self
  @Tag static var S23: Self
  @Tag static var S24: Self
  @Tag static var S25: Self
  @Tag static var S27: Self
  @Tag static var S28: Self
  @Tag static var S29: Self
  @Tag static var S31: Self
  @Tag static var S32: Self
  @Tag static var S33: Self
  @Tag static var S36: Self
  @Tag static var S37: Self
  @Tag static var S40: Self
  @Tag static var S41: Self
  @Tag static var S42: Self
  @Tag static var S45: Self
  @Tag static var S47: Self
  @Tag static var S48: Self
  @Tag static var S49: Self
  @Tag static var S51: Self
  @Tag static var S52: Self
  @Tag static var S56: Self
  @Tag static var S58: Self
}

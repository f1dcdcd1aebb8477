import FuzzTargets

/// The driver's call for the target `images`.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // SAFETY: the driver's bytes are valid for `count` while the call runs, which copies them.
  unsafe FuzzDriver.run(.images, UnsafeBufferPointer(start: bytes, count: count))
  return 0
}

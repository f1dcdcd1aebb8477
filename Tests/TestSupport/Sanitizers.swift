import Foundation

/// Which sanitizers this process was built with.
public enum Sanitizers {
  public static let isAddress = has("__asan_init")
  public static let isThread = has("__tsan_init")

  public static var isAny: Bool { isAddress || isThread }

  private static func has(_ symbol: String) -> Bool {
    // SAFETY: the C string lives until the call returns; the answer is only compared.
    unsafe dlsym(nil, symbol) != nil
  }
}

import Foundation

enum PowerCut {
  /// Sanitizers stand where the recorder of writes and flushes would.
  static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    // SAFETY: the C string lives until the call returns; the answer is only compared.
    unsafe dlsym(nil, name) != nil
  }
}

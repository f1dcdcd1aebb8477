#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What this process has used until now.
enum ProcessUse {
  /// Processor time of all its threads: unlike the clock's, it is not longer on a busy machine.
  static var processorTime: Duration {
    var time = timespec()
    // SAFETY: the system fills the structure, which lives for the call.
    let status = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    precondition(status == 0)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The most bytes that were in memory at once.
  static var peakMemory: Int {
    #if canImport(Darwin)
      var usage = rusage()
      // SAFETY: the system fills the structure, which lives for the call.
      let status = unsafe getrusage(RUSAGE_SELF, &usage)
      precondition(status == 0)
      return usage.ru_maxrss
    #else
      // Not `getrusage`, which begins with the peak of the process that started this one.
      for line in status.split(separator: UInt8(ascii: "\n")) {
        guard line.starts(with: "VmHWM:".utf8) else { continue }
        let digits = line.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let kilobytes = Int(String(decoding: digits, as: UTF8.self)) else { break }
        return kilobytes << 10
      }
      preconditionFailure("the system tells no peak of memory")
    #endif
  }

  #if !canImport(Darwin)
    private static var status: [UInt8] {
      let descriptor = unsafe open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      precondition(descriptor >= 0)
      defer { close(descriptor) }
      // SAFETY: the system writes at most the buffer's capacity.
      return unsafe [UInt8](unsafeUninitializedCapacity: 8192) { buffer, filled in
        filled = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
      }
    }
  #endif
}

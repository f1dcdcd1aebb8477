import BatonImage
import DurabilitySupport
import Foundation
import Synchronization

// A process of its own over an image, as a test tells it to be.
//
//     image-worker commit IMAGE MODE COUNT PAUSE INTERVAL  commits, prints `s N` for what it found,
//                                                 `a N` after each returned commit and `c N` after
//                                                 each finished checkpoint; in the mode `shared` by
//                                                 two durable handles, in `mixed` by a durable one
//                                                 and one that isn't, whose commits are `b N`;
//                                                 LOG_SEGMENT in the environment has the bytes of a
//                                                 segment of the log
//     image-worker mark IMAGE MODE SECONDS FIRST  commits numbers from FIRST on as another writer
//     image-worker watch IMAGE SECONDS            reads, and fails where a state is none committed
//     image-worker visit IMAGE SECONDS            opens, reads and closes again and again
//     image-worker fill IMAGE COUNT               adds so many records of some 500 bytes
//     image-worker thin IMAGE COUNT               adds so many and deletes most of them
//     image-worker copy IMAGE COPY                copies the image to a new file
//     image-worker hold IMAGE                     reads, says so, and keeps the snapshot until killed
//     image-worker reread IMAGE FILE              reads one state again and again until there is a
//                                                 file, says so first, and fails where it reads
//                                                 otherwise
//     image-worker write IMAGE                    begins a write, says so, and keeps its turn
//     image-worker die IMAGE reading|later        opens, and dies in the first read or after it
//
// Ends with 1 and the reason where something fails.

let arguments = CommandLine.arguments

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  // SAFETY: the array's bytes live until the call returns.
  _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

func options(_ mode: String, interval: Int = 1_000) -> Image.Options {
  var options = Image.Options(durability: mode == "checkpointed" ? .checkpointed : .durable)
  options.checkpointInterval = .milliseconds(interval)
  options.onDamage = .refuse
  let segment = ProcessInfo.processInfo.environment["LOG_SEGMENT"]
  options.internals.logSegment = segment.flatMap { Int($0) }
  options.events = { event in
    if case .checkpointed(let commit) = event { say("c \(commit)") }
  }
  return options
}

do {
  switch arguments[1] {
  case "commit":
    let image = try Image.open(
      path: arguments[2], options: options(arguments[3], interval: Int(arguments[6]) ?? 1_000))
    // A second handle, whose commits get in between.
    let other: Image? =
      switch arguments[3] {
      case "mixed": try Image.open(path: arguments[2], options: options("checkpointed"))
      case "shared": try Image.open(path: arguments[2], options: options("durable"))
      default: nil
      }
    let first = try Workload.state(of: image) + 1
    say("s \(first - 1)")
    for number in first..<first + Int(arguments[4])! {
      let isOther = other != nil && number * 7 % 5 < 2
      try Workload.commit(number, to: isOther ? other! : image)
      say(isOther && arguments[3] == "mixed" ? "b \(number)" : "a \(number)")
      usleep(UInt32(arguments[5])!)
    }
    try other?.close()
    try image.close()
    say("end")
  case "mark":
    var options = options(arguments[3])
    options.events = nil
    let image = try Image.open(path: arguments[2], options: options)
    let end = ContinuousClock.now + .milliseconds(Int(Double(arguments[4])! * 1_000))
    var number = Int(arguments[5])!
    while ContinuousClock.now < end {
      try Workload.mark(number, in: image)
      number += 1
    }
    try image.close()
    say("marked \(number - Int(arguments[5])!)")
  case "watch":
    let image = try Image.open(path: arguments[2], options: .init(isReadOnly: true))
    let end = ContinuousClock.now + .milliseconds(Int(Double(arguments[3])! * 1_000))
    var (count, last) = (0, UInt64(0))
    while ContinuousClock.now < end {
      _ = try Workload.mark(in: image)
      let commit = try image.snapshot().commit
      if commit < last { throw Workload.Torn(description: "back from \(last) to \(commit)") }
      last = commit
      count += 1
    }
    try image.close()
    say("watched \(count)")
  case "visit":
    let end = ContinuousClock.now + .milliseconds(Int(Double(arguments[3])! * 1_000))
    var count = 0
    while ContinuousClock.now < end {
      let isReadOnly = count % 2 == 0
      let image = try Image.open(path: arguments[2], options: .init(isReadOnly: isReadOnly))
      _ = try Workload.mark(in: image)
      if count % 6 == 3 { try Workload.mark(Int(getpid()) * 1_000 + count, in: image) }
      try image.close()
      count += 1
    }
    say("visited \(count)")
  case "fill":
    let image = try Image.open(path: arguments[2])
    try Workload.fill(0..<Int(arguments[3])!, of: image)
    try image.close()
    say("filled")
  case "thin":
    let image = try Image.open(path: arguments[2])
    try Workload.thin(0..<Int(arguments[3])!, of: image)
    try image.close()
    say("thinned")
  case "copy":
    try Image.open(path: arguments[2], options: .init(isReadOnly: true))
      .copyCompacted(toPath: arguments[3])
  case "hold":
    let image = try Image.open(path: arguments[2], options: .init(isReadOnly: true))
    let snapshot = try image.snapshot()
    say("held \(try snapshot.commit)")
    while try snapshot.commit < .max { sleep(1) }
  case "reread":
    let image = try Image.open(path: arguments[2], options: .init(isReadOnly: true))
    let snapshot = try image.snapshot()
    let first = try Workload.dump(of: snapshot)
    say("held \(try snapshot.commit)")
    while true {
      let isLast = FileManager.default.fileExists(atPath: arguments[3])
      guard try Workload.dump(of: snapshot) == first else {
        throw Workload.Torn(description: "a state that changes")
      }
      if isLast { break }
    }
    say("reread")
  case "write":
    try Image.open(path: arguments[2]).write { _ in
      say("writing")
      // Not for ever: in a closure that can't return the compiler ends the editor at once.
      for _ in 0..<600 { sleep(1) }
    }
  case "die":
    let image = try Image.open(path: arguments[2])
    if arguments[3] == "reading" {
      let snapshot = try image.snapshot()
      if try snapshot.commit > 0 { abort() }
    }
    _ = try Workload.mark(in: image)
    kill(getpid(), SIGKILL)
  default:
    exit(2)
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}

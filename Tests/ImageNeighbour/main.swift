import BatonImage
import Dispatch
import Foundation
import LifeSupport

// Another process with the same image, as a test tells it to be. Times are nanoseconds of a clock
// that all processes share.

/// Prints a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// `commit COUNT PAUSE PREFIX`: commits as many changes of the subjects 1 to 10, with a pause in
/// microseconds after each, and says each commit's number and time.
func commit(_ image: Image, _ arguments: [String]) throws {
  guard arguments.count == 3, let count = Int(arguments[0]), let pause = UInt32(arguments[1]) else {
    exit(2)
  }
  for turn in 0..<count {
    let outcome = try image.refresh([Subject(turn % 10 + 1, title: "\(arguments[2]) \(turn)")])
    say("\(outcome.commit) \(now())")
    if pause > 0 { usleep(pause) }
  }
}

/// `mix COUNT SEED`: makes as many commits of all kinds, to records that a process with another seed
/// changes too, and says the number of the last.
func mix(_ image: Image, _ arguments: [String]) throws {
  guard arguments.count == 2, let count = Int(arguments[0]), let seed = UInt64(arguments[1]) else {
    exit(2)
  }
  var mixture = Mixture(seed: seed)
  var last: UInt64 = 0
  for _ in 0..<count { last = try mixture.commit(to: image) }
  say("\(last)")
}

/// `follow LAST`: says when each commit up to number LAST is delivered.
func follow(_ image: Image, _ arguments: [String]) async {
  guard arguments.count == 1, let last = UInt64(arguments[0]) else { exit(2) }
  say("0 \(now())")
  for await change in image.changes(since: 0) {
    let arrival = now()
    for commit in change.firstCommit...change.commit { say("\(commit) \(arrival)") }
    if change.commit >= last { return }
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else { exit(2) }
do {
  let image = try Image.open(path: arguments[0])
  switch arguments[1] {
  case "commit": try commit(image, Array(arguments.dropFirst(2)))
  case "mix": try mix(image, Array(arguments.dropFirst(2)))
  case "follow": await follow(image, Array(arguments.dropFirst(2)))
  default: exit(2)
  }
  try image.close()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}

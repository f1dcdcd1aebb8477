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

/// `rows COUNT PREFIX CHANGED...`: commits one refresh of the subjects 1 to COUNT, of which those named
/// have other titles, and says its number and time.
func rows(_ image: Image, _ arguments: [String]) throws {
  guard arguments.count >= 2, let count = Int(arguments[0]), count > 0 else { exit(2) }
  let changed = Set(arguments.dropFirst(2).compactMap { Int($0) })
  let subjects = (1...count).map {
    Subject($0, title: changed.contains($0) ? "\(arguments[1]) \($0)" : nil)
  }
  say("\(try image.refresh(subjects).commit) \(now())")
}

/// `observe COUNT LAST`: observes the titles of the subjects 1 to COUNT, and says when each state is
/// delivered, the first of each as 0, until each observer has one of the last COUNT commits up to number LAST.
func observe(_ image: Image, _ arguments: [String]) async {
  guard arguments.count == 2, let count = Int(arguments[0]), let last = UInt64(arguments[1]) else {
    exit(2)
  }
  await withTaskGroup { group in
    for number in 1...count {
      group.addTask {
        var isFirst = true
        for await state in image.observe(Documents.title, id: "I_\(number)") {
          say("\(isFirst ? 0 : state.commit) \(now())")
          isFirst = false
          if state.commit + UInt64(count) > last { return }
        }
      }
    }
  }
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
  case "rows": try rows(image, Array(arguments.dropFirst(2)))
  case "observe": await observe(image, Array(arguments.dropFirst(2)))
  case "mix": try mix(image, Array(arguments.dropFirst(2)))
  case "follow": await follow(image, Array(arguments.dropFirst(2)))
  default: exit(2)
  }
  try image.close()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}

import BatonImage
import BatonPlan
import Dispatch
import Foundation
import LifeSupport

// Another process with the same image, as a test tells it to be.
//
//     image-neighbour IMAGE commit COUNT PAUSE-MICROSECONDS PREFIX
//
// commits COUNT changes of the subjects 1 to 10, and prints after each commit its number and the
// time in nanoseconds of a clock that all processes share.

let arguments = CommandLine.arguments
guard arguments.count == 6, arguments[2] == "commit", let count = Int(arguments[3]),
  let pause = UInt32(arguments[4])
else { exit(2) }
do {
  let image = try Image.open(path: arguments[1])
  for turn in 0..<count {
    let subject = Subject(turn % 10 + 1, title: "\(arguments[5]) \(turn)")
    let outcome = try image.refresh([subject])
    let line = "\(outcome.commit) \(DispatchTime.now().uptimeNanoseconds)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
    if pause > 0 { usleep(pause) }
  }
  try image.close()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}

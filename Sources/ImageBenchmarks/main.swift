import Foundation

do {
  let arguments = try Arguments(CommandLine.arguments.dropFirst())
  if arguments.showsHelp {
    print(Arguments.usage)
  } else if let resident = arguments.resident {
    try resident.run()
  } else if let path = arguments.hotPath {
    try path.run(times: arguments.times, Setting(isQuick: true, folder: Scratch()))
  } else {
    let report = try Suite.run(arguments)
    print(arguments.printsJSON ? try report.json() : report.verdictLine)
    if let figures = arguments.figures {
      let names = try figures.write(report.answers)
      if !arguments.printsJSON { print("figures: \(names.joined(separator: " "))") }
    }
    exit(report.isPassed ? 0 : 1)
  }
} catch let problem as UsageProblem {
  FileHandle.standardError.write(Data("\(problem.message)\n\(Arguments.usage)\n".utf8))
  exit(2)
}

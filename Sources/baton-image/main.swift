import Foundation

let status = Command.run(Array(CommandLine.arguments.dropFirst()))
exit(status.rawValue)

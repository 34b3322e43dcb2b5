import Foundation

// A reader that closes its end of a pipe is an error to report, not a reason to be killed.
signal(SIGPIPE, SIG_IGN)
let tool = FireLiteTool(console: .process)
exit(tool.run(arguments: Array(CommandLine.arguments.dropFirst())).rawValue)

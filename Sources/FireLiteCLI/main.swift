import Foundation

// When a reader closes its end of a pipe, the command must end and clean up instead of being killed.
signal(SIGPIPE, SIG_IGN)
Interruption.install()
let tool = FireLiteTool(console: .process)
exit(tool.run(arguments: Array(CommandLine.arguments.dropFirst())).rawValue)

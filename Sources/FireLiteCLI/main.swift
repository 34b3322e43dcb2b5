import Foundation

// A reader that closes its end of a pipe ends a command, which then has something to clean up.
signal(SIGPIPE, SIG_IGN)
Interruption.install()
let tool = FireLiteTool(console: .process)
exit(tool.run(arguments: Array(CommandLine.arguments.dropFirst())).rawValue)

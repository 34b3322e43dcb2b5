import Foundation

/// An error that ends a command: one line that says what and where, and the exit status.
struct ToolError: LocalizedError, Equatable, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    var description: String { message }
    var errorDescription: String? { message }

    /// The command line is wrong.
    static func usage(_ message: String) -> ToolError { ToolError(status: .usage, message: message) }

    /// Something was rejected or not found.
    static func incomplete(_ message: String) -> ToolError { ToolError(status: .incomplete, message: message) }

    /// The database or the system failed.
    static func failed(_ message: String) -> ToolError { ToolError(status: .failed, message: message) }

    /// The command line is wrong, as a library says.
    static func usage(_ error: any Error) -> ToolError { usage(ToolWords.text(of: error)) }

    /// Something was rejected or not found, as a library says.
    static func incomplete(_ error: any Error) -> ToolError { incomplete(ToolWords.text(of: error)) }

    /// The database or the system failed, as a library says.
    static func failed(_ error: any Error) -> ToolError { failed(ToolWords.text(of: error)) }

    /// The last system call failed, on `subject`.
    static func system(_ subject: String, code: Int32 = errno) -> ToolError { .failed("\(subject): \(String(cString: strerror(code)))") }
}

/// How a run of the tool ended, for the shell.
enum ExitStatus: Int32 {
    /// The command succeeded.
    case done = 0
    /// Something was rejected, not found or unsound.
    case incomplete = 1
    /// The command line is wrong; nothing was done.
    case usage = 2
    /// The database or the system failed.
    case failed = 3
    /// The reader of standard output closed it: the status that shells report for a tool ended by SIGPIPE.
    case unread = 141
}

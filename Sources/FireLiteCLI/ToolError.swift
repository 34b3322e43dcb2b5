import Foundation

/// What ends a command early: one line that says what and where, and the exit status it stands for.
struct ToolError: LocalizedError, Equatable, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    var description: String { message }
    var errorDescription: String? { message }

    /// The command line is wrong.
    static func usage(_ message: String) -> ToolError { ToolError(status: .usage, message: message) }

    /// Something was rejected or is not there.
    static func incomplete(_ message: String) -> ToolError { ToolError(status: .incomplete, message: message) }

    /// The database or the system failed.
    static func failed(_ message: String) -> ToolError { ToolError(status: .failed, message: message) }

    /// The last system call failed; `subject` says on what.
    static func system(_ subject: String, code: Int32 = errno) -> ToolError { .failed("\(subject): \(String(cString: strerror(code)))") }
}

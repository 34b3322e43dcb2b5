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

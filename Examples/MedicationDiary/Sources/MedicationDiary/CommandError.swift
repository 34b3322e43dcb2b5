import Foundation

/// Ends a command with a line on standard error, and an exit status: 1 for a failure, 2 for wrong usage.
struct CommandError: LocalizedError {
    let errorDescription: String?
    let status: Int32

    static func failure(_ message: String) -> Self { Self(errorDescription: message, status: 1) }
    static func usage(_ message: String) -> Self { Self(errorDescription: message + ": see `diary help`", status: 2) }
}

import Foundation

/// The first failure to read a file of packages, or another source of definitions, during a piece of work, even one that was caught on the way: rules that
/// ask for a definition take what they do not get for unknown, which would be a verdict.
///
/// It concerns what is called synchronously within ``watching(_:)``. `@unchecked Sendable`: `lock` guards `error`.
final class ReadingFailures: @unchecked Sendable {
    @TaskLocal private static var current: ReadingFailures?

    private let lock = NSLock()
    private var error: (any Error)?

    private func note(_ fresh: any Error) { lock.withLock { error = error ?? fresh } }

    /// Notes that a file or a source could not be read.
    ///
    /// - Returns: the error, to be thrown.
    static func noted<Failure: Error>(_ error: Failure) -> Failure {
        current?.note(error)
        return error
    }

    /// Runs work, and says whether all was read that it asked for; if not, what it made must not be kept.
    ///
    /// - Throws: errors of `body`.
    static func watching<Value>(_ body: () throws -> Value) rethrows -> (value: Value, failure: (any Error)?) {
        let own = ReadingFailures()
        let outer = current
        defer { if let error = own.lock.withLock({ own.error }) { outer?.note(error) } }
        let value = try $current.withValue(own) { try body() }
        return (value, own.lock.withLock { own.error })
    }
}

import Foundation

/// The first failure to read a file of packages during a piece of work, even one that was caught on the way: rules that ask for a definition take what they
/// do not get for unknown, which would be a verdict.
///
/// It concerns what is called synchronously within ``watching(_:)``. `@unchecked Sendable`: `lock` guards `error`.
final class ReadingFailures: @unchecked Sendable {
    @TaskLocal private static var current: ReadingFailures?

    private let lock = NSLock()
    private var error: KnowledgeError?

    private func note(_ fresh: KnowledgeError) { lock.withLock { error = error ?? fresh } }

    /// Notes that a file could not be read.
    ///
    /// - Returns: the error, to be thrown.
    static func noted(_ error: KnowledgeError) -> KnowledgeError {
        current?.note(error)
        return error
    }

    /// Runs work, and says whether all was read that it asked for; if not, what it made must not be kept.
    ///
    /// - Throws: errors of `body`.
    static func watching<Value>(_ body: () throws -> Value) rethrows -> (value: Value, failure: KnowledgeError?) {
        let own = ReadingFailures()
        let outer = current
        defer { if let error = own.lock.withLock({ own.error }) { outer?.note(error) } }
        let value = try $current.withValue(own) { try body() }
        return (value, own.lock.withLock { own.error })
    }
}

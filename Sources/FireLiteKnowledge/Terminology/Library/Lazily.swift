import Foundation

/// A definition that is read when it is first asked for.
///
/// `@unchecked Sendable`: `lock` guards `result`.
final class Lazily<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private let read: @Sendable () throws -> Value
    private var result: Result<Value, any Error>?

    init(_ read: @escaping @Sendable () throws -> Value) { self.read = read }

    /// - Throws: what reading throws, each time.
    var value: Value {
        get throws {
            lock.lock()
            defer { lock.unlock() }
            if let result { return try result.get() }
            let fresh = Result { try read() }
            result = fresh
            return try fresh.get()
        }
    }
}

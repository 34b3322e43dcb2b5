import Foundation

/// A value that only the first caller gets.
///
/// `@unchecked Sendable`: the lock guards the value.
final class Once<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value?

    init(_ value: Value) { self.value = value }

    func take() -> Value? {
        lock.withLock {
            defer { value = nil }
            return value
        }
    }
}

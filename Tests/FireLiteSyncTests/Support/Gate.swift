import Foundation

/// Lets tasks pass as soon as so many have arrived.
actor Gate {
    private let count: Int
    private var arrived = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { self.count = count }

    func pass() async {
        arrived += 1
        if arrived >= count {
            for waiter in waiting { waiter.resume() }
            waiting = []
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}

/// Notes how it was called.
///
/// `@unchecked Sendable`: the lock guards the values.
final class Calls: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Bool] = []

    var noted: [Bool] { lock.withLock { values } }
    func note(_ value: Bool) { lock.withLock { values.append(value) } }
}

import Foundation

/// What a process has done in a soak.
package struct SoakReport: Codable, Sendable {
    package var progress = SoakContent.Progress()
    /// How often each thing was done.
    package var counts: [String: Int] = [:]
    package var seconds = 0.0
    package var descriptorsBefore = 0
    package var descriptorsAtMost = 0
    package var descriptorsAfter = 0
    package var sqliteBytesBefore: Int64 = 0
    package var sqliteBytesAfter: Int64 = 0
    /// After a third of the time, and at the end.
    package var earlyMegabytes = 0
    package var megabytes = 0

    package subscript(_ name: String) -> Int { counts[name] ?? 0 }
}

/// What the threads of a soak do, have done, and what went wrong; the watch that none of them is stuck.
final class SoakLog: @unchecked Sendable {
    // `lock` guards every variable.
    private let lock = NSLock()
    private var counts: [String: Int] = [:]
    private var failures: [String] = []
    private var doing: [String: (what: String, since: Int)] = [:]
    /// How often the watch has looked. A clock would go on while the process is stopped.
    private var looks = 0

    private func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// Notes that a thread begins something.
    func begin(_ what: String, _ thread: String) { locked { doing[thread] = (what, looks) } }

    func end(_ thread: String) { locked { doing[thread] = nil } }

    func count(_ what: String, _ number: Int = 1) { locked { counts[what, default: 0] += number } }

    func fail(_ failure: String) { locked { failures.append(failure) } }

    var hasFailed: Bool { locked { !failures.isEmpty } }

    var allFailures: [String] { locked { failures } }

    var allCounts: [String: Int] { locked { counts } }

    /// Looks whether a thread has not come to the end of what it does for so many looks; nil where all go on.
    func stuck(after patience: Int) -> String? {
        locked {
            looks += 1
            return doing.first { looks - $0.value.since > patience }.map { "\($0.key): \($0.value.what)" }
        }
    }
}

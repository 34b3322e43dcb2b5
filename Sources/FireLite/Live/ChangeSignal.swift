import Foundation

/// The changed elements of a resource in one commit.
struct NotedChange: Sendable, Equatable {
    /// The resource's revision before the commit.
    let before: Int64
    let paths: [String]
}

/// Changes by the number of the resource and its revision after the commit.
typealias NotedChanges = [Int64: [Int64: NotedChange]]

/// Wakes one observer when a commit may have changed what it has read.
final class ChangeSignal: @unchecked Sendable {
    // `lock` guards `isRaised` and `waiting`; the announcer's lock guards `changes`.
    private let lock = NSLock()
    private var isRaised = false
    private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var nextWaiting = 0
    private let announcer: CommitAnnouncer
    private var number = 0
    /// Whether the observer asks for the changed elements.
    let wantsPaths: Bool
    /// The changed elements of resources, by number and revision; nil if some were missed.
    private var changes: NotedChanges? = [:]

    /// The number of resources whose changed elements are kept for a slow observer.
    private static let keptChanges = 10_000

    init(_ announcer: CommitAnnouncer, wantsPaths: Bool = false) {
        self.announcer = announcer
        self.wantsPaths = wantsPaths
        number = announcer.add(self)
    }

    deinit { announcer.removeSignal(number, wantsPaths: wantsPaths) }

    // MARK: - Being woken

    func raise() {
        lock.lock()
        isRaised = true
        let woken = waiting
        waiting.removeAll()
        lock.unlock()
        for continuation in woken.values { continuation.resume() }
    }

    /// Waits until the signal is raised.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func wait() async throws {
        let ticket = lock.withLock {
            nextWaiting += 1
            return nextWaiting
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lock.lock()
                if isRaised || Task.isCancelled {
                    let isRaised = isRaised
                    lock.unlock()
                    if isRaised { continuation.resume() } else { continuation.resume(throwing: CancellationError()) }
                } else {
                    waiting[ticket] = continuation
                    lock.unlock()
                }
            }
        } onCancel: {
            lock.withLock { waiting.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
        }
    }

    /// Lowers the signal: commits from now on raise it again. Call it before reading.
    ///
    /// - Returns: the number of commits announced before, for `watch`.
    func lower() -> Int {
        lock.withLock { isRaised = false }
        return announcer.announced
    }

    /// Sets what the observer has read since `lower` returned `start`.
    func watch(_ region: ObservedRegion, since start: Int) { announcer.watch(number, region, since: start) }

    // MARK: - Changed elements

    /// Notes the changed elements of a commit. The announcer calls it with its lock.
    func note(_ commit: StoreCommit) {
        guard commit.isComplete else {
            changes = nil
            return
        }
        for change in commit.resources {
            guard let paths = change.paths else { continue }
            changes?[change.root, default: [:]][change.revision] = NotedChange(before: change.oldRevision, paths: paths)
        }
        if changes?.count ?? 0 > Self.keptChanges { changes = nil }
    }

    /// The noted changes, by number and revision; nil if some were missed. Those of these revisions and earlier ones are then forgotten.
    ///
    /// - Complexity: O(n) in the number of keys; with the announcer's lock only in the number of changes.
    func takeChanges(upTo keys: [ResultKey]) -> NotedChanges? {
        var revisions: [Int64: Int64] = [:]
        revisions.reserveCapacity(keys.count)
        for key in keys { revisions[key.root] = key.revision }
        return announcer.withLock {
            let taken = changes
            var rest: NotedChanges = [:]
            // A commit that the results do not contain yet may already be noted.
            for (root, noted) in taken ?? [:] {
                guard let revision = revisions[root] else { continue }
                let later = noted.filter { $0.key > revision }
                if !later.isEmpty { rest[root] = later }
            }
            changes = rest
            return taken
        }
    }
}

import Foundation

/// The commits that a consumer of `FHIRStore.changes()` has not taken yet.
final class ChangeBuffer: @unchecked Sendable {
    // `lock` guards every variable but `number`, which is set once.
    private let lock = NSLock()
    private var commits: [StoreCommit] = []
    private var changes = 0
    private var hasEnded = false
    private var waiting: [Int: CheckedContinuation<StoreCommit?, Never>] = [:]
    private var nextWaiting = 0
    private let store: FHIRStore
    private var number = 0

    /// The number of commits, and of changes, that are kept for a slow consumer.
    private static let keptCommits = 10_000
    private static let keptChanges = 100_000

    init(_ store: FHIRStore) {
        self.store = store
        number = store.announcer.add(self)
        if store.announcer.isEnded { hasEnded = true } else { store.foreignCommits.start(store) }
    }

    deinit { store.announcer.removeBuffer(number) }

    func append(_ commit: StoreCommit) {
        lock.lock()
        if let (ticket, continuation) = waiting.first {
            waiting[ticket] = nil
            lock.unlock()
            return continuation.resume(returning: commit)
        }
        commits.append(commit)
        changes += commit.resources.count
        if commits.count > Self.keptCommits || changes > Self.keptChanges {
            let first = commits[0]
            commits = [commits.dropFirst().reduce(first) { $0.merged(with: $1) }]
            changes = 0
        }
        lock.unlock()
    }

    func end() {
        lock.lock()
        hasEnded = true
        let ended = waiting
        waiting.removeAll()
        lock.unlock()
        for continuation in ended.values { continuation.resume(returning: nil) }
    }

    /// The next commit; nil if the task was cancelled or the store closed.
    func next() async -> StoreCommit? {
        let ticket = lock.withLock {
            nextWaiting += 1
            return nextWaiting
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                lock.lock()
                if !commits.isEmpty {
                    let commit = commits.removeFirst()
                    changes -= commit.resources.count
                    lock.unlock()
                    continuation.resume(returning: commit)
                } else if hasEnded || Task.isCancelled {
                    lock.unlock()
                    continuation.resume(returning: nil)
                } else {
                    waiting[ticket] = continuation
                    lock.unlock()
                }
            }
        } onCancel: {
            lock.withLock { waiting.removeValue(forKey: ticket) }?.resume(returning: nil)
        }
    }
}

import Dispatch
import FireLiteSQLiteBridge
import Foundation

/// Notices commits of other connections and processes while a store is observed.
///
/// SQLite's `PRAGMA data_version` of a connection changes with commits of others (<https://www.sqlite.org/pragma.html#pragma_data_version>). The
/// writing connection is asked when a write begins, and some time after anybody has written to the log while nobody writes; until it is open, a reading
/// connection is asked instead. Both happen while no write of this store runs, so a change is never one of its own commits.
///
/// A commit is written to the log first, and counts a moment later, when SQLite publishes it in shared memory: after a sync, or much later in a
/// process that is stopped in between. So each look is followed by another one after twice the time, until something is written again. What
/// took a time to be published is noticed within as long again, and a store to which nobody writes is left asleep.
final class ForeignCommits: @unchecked Sendable {
    // `lock` guards every variable; the connection is used only with it.
    private let lock = NSLock()
    private let queue = DispatchQueue(label: "FireLite commits")
    private var timer: (any DispatchSourceTimer)?
    private var listener: FileWrites.Listener?
    /// Seconds from what was written to the first look.
    private var interval = 0.1
    /// Seconds from the last look to the next one.
    private var delay = 0.1
    /// Asked until the first write.
    private var watcher: StoreConnection?
    private var watched: Int64?
    /// The version of the writing connection at the last look; nil before the first.
    private var written: Int64?

    deinit {
        if let listener { FileWrites.shared.forget(listener) }
    }

    /// Begins to look, unless it does already. Called before an observer reads.
    func start(_ store: FHIRStore) {
        guard store.path != ":memory:" else { return }
        lock.lock()
        defer { lock.unlock() }
        guard timer == nil else { return }
        written = nil
        let (seconds, attoseconds) = store.configuration.foreignCommitInterval.components
        interval = max(Double(seconds) + Double(attoseconds) / 1e18, 0.001)
        listener = FileWrites.Listener(store.path + "-wal") { [weak self] in self?.logWasWritten() }
        lookFirst(store)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak store, weak self] in
            guard let store, store.announcer.isObserved else { return self?.stop() ?? () }
            self?.lookInTime(store)
        }
        self.timer = timer
        delay = interval
        schedule()
        timer.resume()
    }

    func stop() {
        lock.lock()
        defer { lock.unlock() }
        timer?.cancel()
        timer = nil
        if let listener { FileWrites.shared.forget(listener) }
        listener = nil
        watcher = nil
        watched = nil
    }

    private func schedule() { timer?.schedule(deadline: .now() + delay, leeway: .nanoseconds(Int(min(delay, 10) * 1e8))) }

    /// Anybody, perhaps this store, has written to the log.
    private func logWasWritten() {
        lock.lock()
        defer { lock.unlock() }
        delay = interval
        schedule()
    }

    /// Looks, and sees to the next look.
    private func lookInTime(_ store: FHIRStore) {
        lock.lock()
        // Before the look, so that what is written after it is reported.
        let isListening = listener.map { FileWrites.shared.listen($0) } ?? false
        delay = isListening ? min(delay * 2, Self.mostDelay) : interval
        schedule()
        lock.unlock()
        look(store)
    }

    /// A day; longer would not make a difference.
    private static let mostDelay = 86_400.0

    /// Remembers the version that the first observer reads, or an earlier one.
    private func lookFirst(_ store: FHIRStore) {
        do {
            if watcher == nil { watcher = try store.pool.openReader() }
            watched = try watcher.map { try Self.version($0) }
        } catch {
            // No connection could be opened or asked: the next look tries again, and reports that something may have been missed.
            watcher = nil
            watched = nil
        }
    }

    private static func version(_ access: StoreConnection) throws -> Int64 { try access.dataVersion() }

    /// Looks while nobody writes.
    private func look(_ store: FHIRStore) {
        store.pool.withIdleWriter { writer in
            do {
                try look(writer, store.announcer)
            } catch {
                // The connection may work again later; until then nobody can read what was committed either.
                return
            }
        }
        lock.lock()
        defer { lock.unlock() }
        if watched == nil, written == nil, timer != nil {
            lookFirst(store)
            if watched != nil { store.announcer.announce(.unknown) }
        }
    }

    /// Announces that others have committed since the last look, if they have. Called while no other write of the store runs.
    ///
    /// - Throws: `SQLiteError`.
    func look(_ writer: StoreWriter?, _ announcer: CommitAnnouncer) throws {
        lock.lock()
        defer { lock.unlock() }
        guard timer != nil else { return }
        let now = try writer.map { try Self.version($0.access) }
        if let now, let written {
            self.written = now
            if now != written { announcer.announce(.unknown) }
            return
        }
        // After the writing connection's version, so that a commit between the two is noticed by one of them.
        if let watcher, let watched {
            let current = try Self.version(watcher)
            if current != watched { announcer.announce(.unknown) }
            self.watched = current
        }
        guard now != nil else { return }
        written = now
        watcher = nil
    }
}

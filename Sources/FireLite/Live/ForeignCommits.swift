import Dispatch
import FireLiteSQLiteBridge
import Foundation

/// Notices commits of other connections and processes while a store is observed.
///
/// SQLite's `PRAGMA data_version` of a connection changes with commits of others (<https://www.sqlite.org/pragma.html#pragma_data_version>). The
/// writing connection is asked when a write begins, and periodically while nobody writes; until it is open, a reading
/// connection is asked instead. Both happen while no write of this store runs, so a change is never one of its own commits.
final class ForeignCommits: @unchecked Sendable {
    // `lock` guards every variable; the connection is used only with it.
    private let lock = NSLock()
    private var timer: (any DispatchSourceTimer)?
    /// Asked until the first write.
    private var watcher: StoreConnection?
    private var watched: Int64?
    /// The version of the writing connection at the last look; nil before the first.
    private var written: Int64?

    /// Begins to look, unless it does already. Called before an observer reads.
    func start(_ store: FHIRStore) {
        guard store.path != ":memory:" else { return }
        lock.lock()
        defer { lock.unlock() }
        guard timer == nil else { return }
        written = nil
        lookFirst(store)
        let (seconds, attoseconds) = store.configuration.foreignCommitInterval.components
        let interval = max(Double(seconds) + Double(attoseconds) / 1e18, 0.001)
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "FireLite commits"))
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .nanoseconds(Int(interval * 1e8)))
        timer.setEventHandler { [weak store, weak self] in
            guard let store, store.announcer.isObserved else { return self?.stop() ?? () }
            self?.look(store)
        }
        self.timer = timer
        timer.resume()
    }

    func stop() {
        lock.lock()
        defer { lock.unlock() }
        timer?.cancel()
        timer = nil
        watcher = nil
        watched = nil
    }

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

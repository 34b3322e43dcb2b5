import Foundation

/// Passes each commit of a store on to those who observe it.
///
/// The writer announces a commit after it has succeeded and before the next write can begin, so announcements are in the order of commits.
final class CommitAnnouncer: @unchecked Sendable {
    // `lock` guards every variable, and the state that signals and buffers keep for it.
    private let lock = NSLock()
    private var sequence = 0
    private var recent: [CommitNotice] = []
    private var buffers: [Int: WeakReference<ChangeBuffer>] = [:]
    private var signals: [Int: Watch] = [:]
    private var byTable: [String: Set<Int>] = [:]
    private var byType: [String: Set<Int>] = [:]
    /// Signals that every commit concerns.
    private var unbounded: Set<Int> = []
    private var signalsWithPaths = 0
    private var nextNumber = 0
    private var hasEnded = false

    /// The number of commits that are kept for reads that are running meanwhile.
    private static let recentCommits = 64
    /// A kept commit with more changes is kept without its details.
    private static let recentChanges = 100

    struct WeakReference<Object: AnyObject> {
        weak var object: Object?
    }

    private struct Watch {
        weak var signal: ChangeSignal?
        var region = ObservedRegion()
    }

    /// What a write is to record.
    enum Recording {
        case nothing, resources, paths
    }

    // MARK: - The writer's side

    /// What a write that begins now has to record.
    var recording: Recording {
        lock.withLock { signalsWithPaths > 0 ? .paths : buffers.isEmpty && signals.isEmpty ? .nothing : .resources }
    }

    /// Whether anybody observes the store.
    var isObserved: Bool { lock.withLock { !hasEnded && (!buffers.isEmpty || !signals.isEmpty) } }

    /// The number of commits that were announced so far.
    var announced: Int { lock.withLock { sequence } }

    /// Announces a commit.
    func announce(_ notice: CommitNotice) {
        lock.lock()
        guard !buffers.isEmpty || !signals.isEmpty else { return lock.unlock() }
        sequence += 1
        if recent.count == Self.recentCommits { recent.removeFirst() }
        recent.append(notice.commit.resources.count > Self.recentChanges ? notice.withoutResources : notice)
        let buffers = buffers.values.compactMap(\.object)
        let signals = affected(by: notice).compactMap { self.signals[$0]?.signal }
        for signal in signals where signal.wantsPaths { signal.note(notice.commit) }
        lock.unlock()
        for buffer in buffers { buffer.append(notice.commit) }
        for signal in signals { signal.raise() }
    }

    private func affected(by notice: CommitNotice) -> Set<Int> {
        guard let tables = notice.tables, let types = notice.commit.typeNames, !notice.changesCatalog else { return Set(signals.keys) }
        var numbers = unbounded
        for table in tables { if let known = byTable[table] { numbers.formUnion(known) } }
        for type in types {
            for number in byType[type] ?? [] where signals[number]?.region.isAffected(by: notice) ?? false { numbers.insert(number) }
        }
        return numbers
    }

    /// The store was closed: wakes everyone for good.
    func end() {
        lock.lock()
        hasEnded = true
        let buffers = buffers.values.compactMap(\.object)
        let signals = signals.values.compactMap(\.signal)
        lock.unlock()
        for buffer in buffers { buffer.end() }
        for signal in signals { signal.raise() }
    }

    // MARK: - The observers' side

    func add(_ buffer: ChangeBuffer) -> Int {
        lock.withLock {
            nextNumber += 1
            buffers[nextNumber] = WeakReference(object: buffer)
            return nextNumber
        }
    }

    func add(_ signal: ChangeSignal) -> Int {
        lock.withLock {
            nextNumber += 1
            signals[nextNumber] = Watch(signal: signal)
            if signal.wantsPaths { signalsWithPaths += 1 }
            return nextNumber
        }
    }

    var isEnded: Bool { lock.withLock { hasEnded } }

    /// Raises the signal from now on at commits that affect a region, and at once if such a commit was announced since `start`.
    func watch(_ number: Int, _ region: ObservedRegion, since start: Int) {
        lock.lock()
        guard let watch = signals[number], let signal = watch.signal else { return lock.unlock() }
        unlist(number, watch.region)
        signals[number]?.region = region
        for table in region.tables { byTable[table, default: []].insert(number) }
        for type in region.allTypes { byType[type, default: []].insert(number) }
        if region.isEverything { unbounded.insert(number) }
        let missed = sequence - start
        let isAffected = hasEnded || missed > recent.count || recent.suffix(missed).contains { region.isAffected(by: $0) }
        lock.unlock()
        if isAffected { signal.raise() }
    }

    private func unlist(_ number: Int, _ region: ObservedRegion) {
        func remove(_ key: String, _ index: inout [String: Set<Int>]) {
            index[key]?.remove(number)
            if index[key]?.isEmpty ?? false { index[key] = nil }
        }
        for table in region.tables { remove(table, &byTable) }
        for type in region.allTypes { remove(type, &byType) }
        unbounded.remove(number)
    }

    func removeBuffer(_ number: Int) {
        lock.withLock {
            buffers[number] = nil
            forgetIfUnobserved()
        }
    }

    func removeSignal(_ number: Int, wantsPaths: Bool) {
        lock.withLock {
            guard let watch = signals.removeValue(forKey: number) else { return }
            unlist(number, watch.region)
            if wantsPaths { signalsWithPaths -= 1 }
            forgetIfUnobserved()
        }
    }

    private func forgetIfUnobserved() { if buffers.isEmpty && signals.isEmpty { recent.removeAll() } }

    /// Runs `body`, which uses the state that a signal keeps for the announcer.
    func withLock<Value>(_ body: () -> Value) -> Value { lock.withLock(body) }
}

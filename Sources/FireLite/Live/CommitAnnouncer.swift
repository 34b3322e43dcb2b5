import Foundation

/// Passes each commit of a store on to those who observe it.
///
/// The writer announces a commit after it has succeeded and before the next write can begin, so announcements are in the order of commits.
final class CommitAnnouncer: @unchecked Sendable {
    // `lock` guards every variable, and the state that signals and buffers keep for it.
    private let lock = NSLock()
    private var sequence = 0
    /// The last commits, each at the remainder of its number.
    private var recent = [CommitNotice?](repeating: nil, count: CommitAnnouncer.recentCommits)
    private var buffers: [Int: WeakReference<ChangeBuffer>] = [:]
    private var signals: [Int: Watch] = [:]
    /// The signals that watch a table, and those that watch resources of a type, by the number of the table: a commit looks up its few
    /// tables, however many signals there are.
    private var byTable: [Set<Int>] = []
    private var byType: [Set<Int>] = []
    private let numbers = TableNumbers()
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

    /// What a write is to record while somebody observes the store, or a module takes part in its writes.
    struct Recording {
        /// Whether the changed elements are wanted, too.
        let notesPaths: Bool
        /// Whether every change is wanted, however many there are.
        let listsAll: Bool
        let isObserved: Bool
        /// The types whose changes are wanted; nil for all.
        let types: Set<String>?
        /// The module that notes something about the content of each resource that is written.
        let witness: (any ContentWitness)?
        let numbers: TableNumbers
    }

    // MARK: - The writer's side

    /// What a write that begins now must record; nil if nobody wants to know.
    ///
    /// - Parameter participants: the modules that take part in the write.
    func recording(for participants: [any WriteParticipant]) -> Recording? {
        lock.lock()
        defer { lock.unlock() }
        let isObserved = !buffers.isEmpty || !signals.isEmpty
        guard isObserved || !participants.isEmpty else { return nil }
        return Recording(
            notesPaths: signalsWithPaths > 0, listsAll: !participants.isEmpty, isObserved: isObserved,
            types: isObserved ? nil : Self.types(participants), witness: participants.lazy.compactMap { $0 as? any ContentWitness }.first,
            numbers: numbers)
    }

    /// The types that modules want to know of; nil for all.
    private static func types(_ participants: [any WriteParticipant]) -> Set<String>? {
        var types: Set<String> = []
        for participant in participants {
            guard let own = participant.writtenTypes else { return nil }
            types.formUnion(own)
        }
        return types
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
        recent[sequence % Self.recentCommits] = notice.commit.resources.count > Self.recentChanges ? notice.withoutResources : notice
        let buffers = self.buffers.isEmpty || notice.isOfModulesOnly ? [] : self.buffers.values.compactMap(\.object)
        let signals = affected(by: notice)
        for signal in signals where signal.wantsPaths { signal.note(notice.commit) }
        lock.unlock()
        for buffer in buffers { buffer.append(notice.commit) }
        for signal in signals { signal.raise() }
    }

    private func affected(by notice: CommitNotice) -> [ChangeSignal] {
        guard let tables = notice.tables, !notice.changesCatalog else { return signals.values.compactMap(\.signal) }
        var found = unbounded
        tables.visit { table in
            if table < byTable.count, !byTable[table].isEmpty { found.formUnion(byTable[table]) }
        }
        notice.types.visit { type in
            guard type < byType.count else { return }
            for number in byType[type] where !found.contains(number) {
                if signals[number]?.region.isAffected(by: notice) ?? false { found.insert(number) }
            }
        }
        return found.isEmpty ? [] : found.compactMap { signals[$0]?.signal }
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
        var region = region
        region.number(by: numbers)
        lock.lock()
        guard let watch = signals[number], let signal = watch.signal else { return lock.unlock() }
        // Most often an observer reads the same tables again.
        if watch.region.tableSet != region.tableSet {
            Self.relist(number, old: watch.region.tableSet, new: region.tableSet, index: &byTable)
        }
        if watch.region.typeSet != region.typeSet { Self.relist(number, old: watch.region.typeSet, new: region.typeSet, index: &byType) }
        if region.isEverything { unbounded.insert(number) } else { unbounded.remove(number) }
        signals[number]?.region = region
        let hasMissed = hasEnded || sequence - start > Self.recentCommits || isAffected(region, since: start)
        lock.unlock()
        if hasMissed { signal.raise() }
    }

    /// Whether a commit after the one with the number `start` affects a region, or is no longer known.
    private func isAffected(_ region: ObservedRegion, since start: Int) -> Bool {
        guard sequence > start else { return false }
        return (start + 1...sequence).contains { recent[$0 % Self.recentCommits].map { region.isAffected(by: $0) } ?? true }
    }

    private static func relist(_ number: Int, old: TableSet, new: TableSet, index: inout [Set<Int>]) {
        old.visit { if !new.contains($0) { index[$0].remove(number) } }
        new.visit { table in
            while index.count <= table { index.append([]) }
            index[table].insert(number)
        }
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
            Self.relist(number, old: watch.region.tableSet, new: TableSet(), index: &byTable)
            Self.relist(number, old: watch.region.typeSet, new: TableSet(), index: &byType)
            unbounded.remove(number)
            if wantsPaths { signalsWithPaths -= 1 }
            forgetIfUnobserved()
        }
    }

    private func forgetIfUnobserved() {
        if buffers.isEmpty && signals.isEmpty { recent = [CommitNotice?](repeating: nil, count: Self.recentCommits) }
    }

    /// Runs `body`, which uses the state that a signal keeps for the announcer.
    func withLock<Value>(_ body: () -> Value) -> Value { lock.withLock(body) }
}

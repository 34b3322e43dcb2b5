import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

/// Records the events of subscriptions after each commit, and runs the deliveries.
///
/// One pass at a time reads the changes after the last place, and commits the events with their numbers and the new place together. Deliveries read
/// what is recorded; each has a task of its own, so that a hook that is slow holds up nothing else.
actor SubscriptionHub {
    private var listener: Task<Void, Never>?
    private var lastPass: Task<Void, Never>?
    /// How far the changes are read, and what the file says of that.
    private var place: (read: Int64, saved: Int64?)?
    /// The subscriptions; nil if they must be read again.
    private var known: (subscriptions: [Subscribed], fingerprint: [SQLValue])?
    private var probe: ContentProbe?
    /// How often the batch of changes that begins at the place was read in vain.
    private var tries = 0
    private var runners: [String: (generation: Int64, task: Task<Void, Never>, signal: Signal)] = [:]
    private var streams: [UUID: Signal] = [:]
    private(set) var isStopped = false

    /// What a delivery or a stream waits for.
    final class Signal: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

        func raise() { continuation.yield() }
        func finish() { continuation.finish() }

        /// Returns when it is raised or after a time, and at once if it is finished or the task is cancelled.
        ///
        /// - Returns: whether it was raised, and not the time over.
        func wait(_ time: Duration?, _ clock: FHIRClock) async -> Bool {
            let isOver = Flag()
            let timer = time.map { time in
                Task { [self] in
                    do { try await clock.sleep(time) } catch { return }
                    isOver.set()
                    raise()
                }
            }
            defer { timer?.cancel() }
            var iterator = stream.makeAsyncIterator()
            _ = await iterator.next()
            return !isOver.isSet
        }
    }

    /// `@unchecked Sendable`: `lock` guards `value`.
    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isSet: Bool { lock.withLock { value } }
        func set() { lock.withLock { value = true } }
    }

    /// The rows of the change table that a pass reads from one snapshot.
    private static let batch = 256
    /// The changes without an event after which the place is saved.
    private static let unsaved: Int64 = 1_000
    /// How often an event that cannot be judged is tried at most: the policy of hooks counts, and without waits, as others' events wait meanwhile.
    private static let mostTries = 8
    /// The wait after a pass that failed, as when the store is busy.
    static let pause = Duration.seconds(2)

    deinit {
        listener?.cancel()
        for runner in runners.values { runner.task.cancel() }
        for signal in streams.values { signal.finish() }
    }

    // MARK: - Life cycle

    /// Begins to listen to commits, if the store has subscriptions of this service.
    func resume(_ service: FHIRService) async {
        guard listener == nil else { return }
        let count = try? await service.store.reading { try service.store.read { try SubscriptionTable.count($0) } }
        // A store that cannot be read now may be later: it is asked again after each commit.
        if count != 0 { start(service) }
    }

    /// Begins to listen to commits.
    func start(_ service: FHIRService) {
        guard listener == nil, !isStopped else { return }
        let changes = service.store.changes()
        listener = Task { [weak self, weak service] in
            if let self, let service { await self.settle(service) }
            for await commit in changes {
                guard let self, let service else { return }
                await self.note(commit.typeNames)
                await self.settle(service)
            }
        }
    }

    /// Stops listening and delivering, and keeps the place.
    func stop(_ service: FHIRService) async {
        isStopped = true
        listener?.cancel()
        endStreams()
        for runner in runners.values { runner.task.cancel() }
        await listener?.value
        await lastPass?.value
        for runner in runners.values { await runner.task.value }
        runners = [:]
        await save(service)
    }

    private func note(_ types: Set<String>?) {
        let isConcerned = types.map { $0.contains("Subscription") || $0.contains("SubscriptionTopic") } ?? true
        if isConcerned { known = nil }
    }

    // MARK: - Recording

    /// Waits until the events of everything that is committed by now are recorded.
    ///
    /// - Parameter saves: whether the place is saved, too, for a write of a subscription that goes on from there.
    func settle(_ service: FHIRService, saves: Bool = false) async {
        guard listener != nil else { return }
        let earlier = lastPass
        let pass = Task {
            await earlier?.value
            await self.pass(service)
            if saves { await self.save(service) }
        }
        lastPass = pass
        await pass.value
    }

    private func pass(_ service: FHIRService) async {
        var failures = 0
        while !isStopped {
            do {
                guard try await record(service) else { return }
                failures = 0
            } catch is CancellationError {
                return
            } catch {
                // What is not recorded now is recorded after a later commit: the place has not moved.
                failures += 1
                (known, place) = (nil, nil)
                guard failures < 3, (try? await service.configuration.clock.sleep(Self.pause)) != nil else { return }
            }
        }
    }

    /// The events of a batch of changes, and how far the changes were read.
    private struct Batch: Sendable {
        var found = EventMatching.Found()
        let read: Int64
        let saved: Int64?
        let isMore: Bool
    }

    /// Records the events of a batch of changes.
    ///
    /// - Returns: whether there may be more.
    private func record(_ service: FHIRService) async throws -> Bool {
        let (subscriptions, fingerprint) = try await subscriptions(service)
        let probe: ContentProbe
        if let known = self.probe {
            probe = known
        } else {
            probe = try await service.store.reading { try ContentProbe(for: service.store, base: service.base) }
        }
        self.probe = probe
        let known = place
        let found = try await service.store.reading {
            try service.store.readWithoutRecord { transaction -> Batch? in
                // In this snapshot there may be others, which concern changes that it has.
                guard try SubscriptionTable.fingerprint(transaction) == fingerprint else { return nil }
                let saved = try known == nil ? SubscriptionTable.place(transaction) : known?.saved
                let newest = try transaction.newestChange()
                guard subscriptions.contains(where: \.isRecording) else {
                    return Batch(read: newest, saved: saved, isMore: false)
                }
                let start = known?.read ?? saved ?? subscriptions.map(\.row.since).min() ?? newest
                let (events, last, isMore, lost) = try StoreEvents(store: service.store).after(start, limit: Self.batch, transaction)
                let matching = EventMatching(transaction: transaction, probe: probe, subscriptions: subscriptions)
                return Batch(found: try matching.matches(events, lost), read: last, saved: saved, isMore: isMore)
            }
        }
        guard let found else {
            self.known = nil
            return true
        }
        let (matches, failed) = (found.found.matches, found.found.failed)
        if !failed.isEmpty {
            tries += 1
            guard tries >= min(service.configuration.hookRetries.maximumAttempts, Self.mostTries) else { return true }
            // The client decides how to go on (FHIR R5, Subscriptions, Errors): it requests the subscription again, and later events follow.
            for one in failed { try await service.setStatus("error", of: one.row, error: one.reason) }
        }
        tries = 0
        // After an event that was left out the place is saved, so that it is not tried again.
        if matches.isEmpty, failed.isEmpty, found.read - (found.saved ?? 0) < Self.unsaved {
            place = (found.read, found.saved)
            return found.isMore
        }
        let limit = service.configuration.limits.subscriptionEvents
        let isSaved = try await service.store.writing {
            try service.store.write { transaction in
                try SubscriptionTable.append(
                    matches, movingFrom: found.saved, to: found.read, limit: limit, transaction)
            }
        }
        guard isSaved else {
            // Another process has recorded them.
            (self.known, place) = (nil, nil)
            wake()
            return true
        }
        place = (found.read, found.read)
        if !matches.isEmpty { wake() }
        return found.isMore
    }

    private func save(_ service: FHIRService) async {
        guard let known = place, known.saved != known.read else { return }
        // What is not saved is read again, and gives no event twice.
        let isSaved = try? await service.store.writing {
            try service.store.write { try SubscriptionTable.append([], movingFrom: known.saved, to: known.read, limit: 0, $0) }
        }
        if isSaved == true { place = (known.read, known.read) }
    }

    private func wake() {
        for runner in runners.values { runner.signal.raise() }
        for signal in streams.values { signal.raise() }
    }

    // MARK: - Subscriptions

    private func subscriptions(_ service: FHIRService) async throws -> (subscriptions: [Subscribed], fingerprint: [SQLValue]) {
        if let known { return known }
        let found = try await service.store.reading {
            try service.store.readWithoutRecord { transaction in
                var subscribed: [Subscribed] = []
                var broken: [(row: SubscriptionTable.Row, text: String)] = []
                var gone: [String] = []
                for row in try SubscriptionTable.rows(nil, transaction) {
                    do {
                        if let one = try service.subscribed(row, transaction) { subscribed.append(one) } else { gone.append(row.id) }
                    } catch let error where !error.isPassing {
                        broken.append((row, FHIRService.unservedReason(error)))
                    }
                }
                return (
                    subscribed: subscribed, broken: broken, gone: gone, fingerprint: try SubscriptionTable.fingerprint(transaction)
                )
            }
        }
        let read = (subscriptions: found.subscribed, fingerprint: found.fingerprint)
        known = read
        for one in found.broken {
            // The resource of one that is damaged itself stays as it is, and holds up no others: `$status` says that it is in error.
            do { try await service.setStatus("error", of: one.row, error: one.text) } catch let error where !error.isPassing {}
        }
        if !found.gone.isEmpty {
            // Another program has deleted them.
            try await service.store.writing {
                try service.store.write { transaction in for id in found.gone { try SubscriptionTable.remove(id, transaction) } }
            }
        }
        run(found.subscribed, service)
        return read
    }

    /// Has a delivery run for each hook, and for no other.
    private func run(_ subscriptions: [Subscribed], _ service: FHIRService) {
        guard !isStopped else { return }
        var wanted: [String: SubscriptionTable.Row] = [:]
        for one in subscriptions {
            guard case .hook = one.plan.channel, ["requested", "active"].contains(one.plan.status) else { continue }
            wanted[one.row.id] = one.row
        }
        for (id, runner) in runners where wanted[id]?.generation != runner.generation {
            runner.task.cancel()
            runners[id] = nil
        }
        for (id, row) in wanted where runners[id] == nil {
            let signal = Signal()
            let task = Task { [weak service] in
                guard let delivery = service.map({ HookDelivery(row, $0) }) else { return }
                while !Task.isCancelled {
                    let clock: FHIRClock
                    let next: HookDelivery.Step
                    do {
                        guard let service else { return }
                        clock = service.configuration.clock
                        next = await delivery.step(service)
                    }
                    switch next {
                    case .again: continue
                    case .wait(let time): _ = await signal.wait(time, clock)
                    case .end: return
                    }
                }
            }
            runners[id] = (row.generation, task, signal)
        }
    }

    // MARK: - Streams

    /// Adds a stream of events.
    ///
    /// - Throws: `ServiceFault` with status 429 if there are too many.
    func addStream(limit: Int) throws -> (UUID, Signal) {
        guard streams.count < limit, !isStopped else {
            throw ServiceFault(429, "throttled", "\(limit) streams of events are open already", fields: ["Retry-After": "10"])
        }
        let (id, signal) = (UUID(), Signal())
        streams[id] = signal
        return (id, signal)
    }

    func removeStream(_ id: UUID) { streams.removeValue(forKey: id)?.finish() }

    /// Ends all streams.
    func endStreams() {
        for signal in streams.values { signal.finish() }
        streams = [:]
    }

    func hasStream(_ id: UUID) -> Bool { streams[id] != nil }
}

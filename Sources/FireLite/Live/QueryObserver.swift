import FireLiteCore

/// Follows a query's results for one loop.
struct QueryObserver<Resource: FHIRResource> {
    private var query: FHIRQuery<Resource>
    let signal: ChangeSignal
    private var clock: ObservationClock
    private var keys: [ResultKey]?
    private var results: [Resource] = []

    init(_ query: FHIRQuery<Resource>, every interval: Duration, wantsPaths: Bool) {
        self.query = query
        signal = ChangeSignal(query.store.announcer, wantsPaths: wantsPaths)
        clock = ObservationClock(every: interval)
    }

    /// The next results, as soon as they differ from the last ones.
    mutating func next() async throws -> QueryUpdate<Resource> { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> QueryUpdate<Resource> {
        let step = try await nextStep(isolation: actor)
        step.apply(to: &results)
        return QueryUpdate(results: results, changes: step.changes)
    }

    /// How the next results differ from the last ones, as soon as they do. The caller keeps the results.
    ///
    /// - Parameters:
    ///   - limit: the number of results wanted, asked before each read; if it has changed, results that are the same count too.
    ///   - replacement: another query of the store from now on, asked before each read; nil to go on with the last one.
    mutating func nextStep(
        isolation actor: isolated (any Actor)?, limit: () -> Int? = { nil }, replacement: () -> FHIRQuery<Resource>? = { nil }
    ) async throws -> ResultStep<Resource> {
        while true {
            try await clock.wait(signal)
            let start = signal.lower()
            var isFirst = keys == nil
            let isReplaced: Bool
            if let other = replacement() {
                query = other
                // What both have is not read again, and the difference is reported, so that a list changes without flicker.
                isReplaced = !isFirst
                isFirst = true
            } else {
                isReplaced = false
            }
            if let limit = limit(), limit != query.request.limit {
                query = query.limit(limit)
                isFirst = true
            }
            let read = try await Self.read(query, keys, since: start, isFirst: isFirst, isReplaced: isReplaced, signal)
            signal.watch(read.region, since: start)
            guard let step = read.value.value else { continue }
            keys = step.keys
            return step
        }
    }

    /// - Returns: nil if the results are the same.
    private static func read(
        _ query: FHIRQuery<Resource>, _ old: [ResultKey]?, since announced: Int, isFirst: Bool, isReplaced: Bool, _ signal: ChangeSignal
    ) async throws -> (value: HandedOver<ResultStep<Resource>?>, region: ObservedRegion) {
        try await query.store.observe { transaction, check in
            let snapshot = try query.snapshot(transaction, besides: old ?? [], since: announced, isFirst: isFirst, check)
            guard isFirst || snapshot.keys != old else { return HandedOver(nil) }
            let paths = signal.wantsPaths && !isReplaced ? signal.takeChanges(upTo: snapshot.keys) : nil
            return HandedOver(
                ResultStep(
                    from: old, to: snapshot.keys, read: snapshot.read, paths: paths, reports: signal.wantsPaths && (isReplaced || !isFirst))
            )
        }
    }
}

/// The results of an observed query at one moment.
public struct QueryUpdate<Resource: FHIRResource> {
    /// The results. A result that has not changed keeps its object; one that has is a new object, unless the write changed the object
    /// itself.
    public let results: [Resource]
    /// How the results differ from the ones before; nil for the first ones, and if the loop did not ask for it.
    public let changes: ResultChanges?
}

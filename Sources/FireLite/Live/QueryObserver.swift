import FireLiteCore

/// Follows a query's results for one loop, and keeps their objects.
struct QueryObserver<Resource: FHIRResource> {
    private var query: FHIRQuery<Resource>
    let signal: ChangeSignal
    private var clock: ObservationClock
    private var keys: [ResultKey]?
    private var objects: [Int64: Resource] = [:]

    init(_ query: FHIRQuery<Resource>, every interval: Duration, wantsPaths: Bool) {
        self.query = query
        signal = ChangeSignal(query.store.announcer, wantsPaths: wantsPaths)
        clock = ObservationClock(every: interval)
    }

    /// The next results, as soon as they differ from the last ones.
    mutating func next() async throws -> QueryUpdate<Resource> { try await next(isolation: nil) }

    /// - Parameter limit: the number of results wanted, asked before each read; if it has changed, results that are the same count too.
    mutating func next(
        isolation actor: isolated (any Actor)?, limit: () -> Int? = { nil }
    ) async throws -> QueryUpdate<Resource> {
        while true {
            try await clock.wait(signal)
            let start = signal.lower()
            if let limit = limit(), limit != query.request.limit {
                query = query.limit(limit)
                keys = nil
            }
            let known = objects.mapValues { ($0.objectExtras as? StoreTie)?.revision ?? 0 }
            let read = try await Self.read(query, known, since: start, isFirst: keys == nil)
            signal.watch(read.region, since: start)
            let snapshot = read.value.value
            guard snapshot.keys != keys else { continue }
            var current: [Int64: Resource] = [:]
            current.reserveCapacity(snapshot.keys.count)
            for key in snapshot.keys { current[key.root] = snapshot.read[key.root] ?? objects[key.root] }
            let paths = signal.wantsPaths ? signal.takeChanges(upTo: snapshot.keys) : nil
            let changes = signal.wantsPaths ? keys.map { ResultChanges(from: $0, to: snapshot.keys, paths: paths) } : nil
            keys = snapshot.keys
            objects = current
            return QueryUpdate(results: snapshot.keys.compactMap { current[$0.root] }, changes: changes)
        }
    }

    private static func read(
        _ query: FHIRQuery<Resource>, _ known: [Int64: Int64], since announced: Int, isFirst: Bool
    ) async throws -> (value: HandedOver<QuerySnapshot<Resource>>, region: ObservedRegion) {
        try await query.store.observe { transaction, check in
            HandedOver(try query.snapshot(transaction, known: known, since: announced, isFirst: isFirst, check))
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

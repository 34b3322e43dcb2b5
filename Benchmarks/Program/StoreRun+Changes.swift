import Dispatch
import FireLite
import FireLiteR4

// Changes, followed and logged.
extension StoreRun {
    private static let changed = 200

    func writings() throws -> [StoreCost] { try [arrival()] + logged() }

    /// A change reaches a live list of the newest 50, beside the change and the same query again.
    private func arrival() throws -> StoreCost {
        let query = store.query(Observation.self).sort { $0.effectiveDateTime.descending }.limit(Self.sampled)
        let ids = try query.ids()
        var number = 0
        func change() throws {
            number += 1
            let (id, text) = (ids[number % ids.count], "x-\(number)")
            try store.write { tx in try tx.resource(Observation.self, id: id)?.language = text }
        }
        let arrived = DispatchSemaphore(value: 0)
        return try measure(
            "a change reaches a live list of 50, against reading it again", Self.changed,
            subject: { stopwatch in
                let updates = query.updates(every: .zero)
                let follower = _Concurrency.Task { for try await _ in updates { arrived.signal() } }
                defer { follower.cancel() }
                arrived.wait()
                return try stopwatch.measure {
                    for _ in 0..<Self.changed {
                        try change()
                        arrived.wait()
                    }
                    return Self.changed
                }
            },
            floor: { stopwatch in
                try stopwatch.measure {
                    for _ in 0..<Self.changed {
                        try change()
                        _ = try query.all()
                    }
                    return Self.changed
                }
            })
    }

    /// One field of observations all over the file, in one write, with a change log and without; and what the log says of them.
    private func logged() throws -> [StoreCost] {
        let keys = roots.map { "\($0 << 24)" }.joined(separator: ", ")
        let ids = try values("SELECT id FROM Observation WHERE _k IN (\(keys)) AND id IS NOT NULL")
        var number = 0
        func change(_ stopwatch: Stopwatch) throws -> Int {
            number += 1
            let text = "y-\(number)"
            return try stopwatch.measure {
                try store.write { tx in
                    try ids.count { id in
                        let observation = try tx.resource(Observation.self, id: id)
                        observation?.language = text
                        return observation != nil
                    }
                }
            }
        }
        defer { try? store.stopTracking(.changes) }
        let writing = try measure(
            "one field changed, with change log, against without", ids.count,
            subject: { stopwatch in
                try store.track(.changes)
                return try change(stopwatch)
            },
            floor: { stopwatch in
                try store.stopTracking(.changes)
                return try change(stopwatch)
            })
        try store.track(.changes)
        let start = try store.newestChange()
        _ = try change(Stopwatch())
        let reader = try FloorReader(path)
        let reading = try measure(
            "the log's changes with their resources, against reading these", ids.count,
            subject: { try $0.measure { try store.changes(since: start).count } },
            floor: { stopwatch in
                let before = reader.registrations
                stopwatch.measure { reader.transaction { for root in roots { reader.read(root: root) } } }
                return reader.registrations - before
            })
        return [writing, reading]
    }
}

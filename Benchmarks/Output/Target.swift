/// A speed that a store has to show, and the measurements that tell.
struct Target {
    let name: String
    let limit: String
    /// What was measured and whether it is enough; nil where it was not measured.
    let result: (text: String, isMet: Bool)?

    private init(_ name: String, _ limit: String, _ value: Double?, _ unit: String, _ isMet: (Double) -> Bool) {
        self.name = name
        self.limit = limit
        result = value.map { (Figures.ratio($0) + unit, isMet($0)) }
    }

    private static func atMost(_ limit: Double, _ unit: String, _ name: String, _ value: Double?) -> Target {
        Target(name, "at most \(limit)\(unit)", value, unit) { $0 <= limit }
    }

    private static func atLeast(_ limit: Double, _ unit: String, _ name: String, _ value: Double?) -> Target {
        Target(name, "at least \(limit)\(unit)", value, unit) { $0 >= limit }
    }

    /// The targets, with what the measurements at the largest size of each workload say.
    static func all(_ measurements: [Measurement]) -> [Target] {
        func largest(_ name: String) -> Measurement? { measurements.filter { $0.name == name }.max { $0.size < $1.size } }
        func quotient(_ first: Double?, _ second: Double?) -> Double? {
            guard let first, let second, second > 0 else { return nil }
            return first / second
        }
        let new = largest(UpsertWorkloads.new)
        let unchanged = largest(UpsertWorkloads.unchanged)
        let changed = largest(UpsertWorkloads.changed)
        let imported = largest(TransferWorkloads.imported)
        let decode = largest(CodecWorkloads.decode)?.cpu
        let encode = largest(CodecWorkloads.encode)?.cpu
        let wide = largest(OpenWorkloads.wide)?.wall
        var targets = [
            atLeast(4, " times", "decode, against JSONSerialization", quotient(largest(CodecWorkloads.serialization)?.cpu, decode)),
            atLeast(12, " times", "decode, against JSONDecoder", quotient(largest(CodecWorkloads.jsonDecoder)?.cpu, decode)),
            atLeast(5, " times", "encode, against JSONEncoder", quotient(largest(CodecWorkloads.jsonEncoder)?.cpu, encode)),
            atMost(1.25, " × floor", "bulk upsert, new", new?.ratio),
            atLeast(0.75, " of the floor's wall rate", "NDJSON import", quotient(imported?.floorWall, imported?.wall)),
            atLeast(4, " times the rate of new", "bulk upsert, unchanged", quotient(new?.cpu, unchanged?.cpu)),
            atMost(0, " rows a resource", "bulk upsert, unchanged", unchanged?.rowsPerOperation),
            atLeast(0.7, " of the rate of new", "bulk upsert, one field changed", quotient(new?.cpu, changed?.cpu)),
            atMost(2, " rows a resource", "bulk upsert, one field changed", changed?.rowsPerOperation),
            atMost(1.5, " × floor", "fetch one by id", largest(FetchWorkloads.byID)?.ratio),
            atMost(1.5, " × floor", "fetch one by pk", largest(FetchWorkloads.byPK)?.ratio),
            atMost(2.5, " × floor", "scan a type, against whole tables", largest(ScanWorkloads.scan)?.ratio),
            atMost(2.5, " × floor", "scan a type, against key ranges", largest(ScanWorkloads.ranges)?.ratio),
            atMost(1.3, " × floor", "delete many", largest(DeleteWorkloads.many)?.ratio),
            atMost(
                1, " × the NDJSON", "file size",
                quotient(largest(FileSizeWorkload.file)?.bytesPerResource, largest(FileSizeWorkload.text)?.bytesPerResource)),
            atMost(10, " ms", "open a file of 300 tables", wide.map { $0 / 1_000 }),
        ]
        for name in [UpsertWorkloads.new, FetchWorkloads.byID, QueryWorkloads.objects] {
            let base = measurements.first { $0.name == name && $0.size == 10_000 }
            guard let base, let most = largest(name), most.size > base.size else { continue }
            targets.append(atMost(1.3, " times", "\(name): \(Figures.grouped(most.size)) against 10,000", quotient(most.cpu, base.cpu)))
        }
        return targets
    }
}

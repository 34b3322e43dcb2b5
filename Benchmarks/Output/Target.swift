/// A speed that a store has to show, and the measurements that tell.
struct Target {
    let name: String
    let limit: String
    /// What was measured and whether it is enough; nil where it was not measured.
    let result: (text: String, isMet: Bool)?

    private init(_ name: String, _ limit: String, _ result: (text: String, isMet: Bool)?) {
        self.name = name
        self.limit = limit
        self.result = result
    }

    private static func atMost(_ limit: Double, _ unit: String, _ name: String, _ value: Double?, note: String = "") -> Target {
        Target(name, "at most \(Figures.short(limit))\(unit)", value.map { (Figures.ratio($0) + unit + note, $0 <= limit) })
    }

    private static func atLeast(_ limit: Double, _ unit: String, _ name: String, _ value: Double?) -> Target {
        Target(name, "at least \(Figures.short(limit))\(unit)", value.map { (Figures.ratio($0) + unit, $0 >= limit) })
    }

    /// A target for the ratio to the floor.
    private static func ratio(_ limit: Double, _ name: String, _ measurement: Measurement?) -> Target {
        let note = measurement?.ratioSpread.map { " (\(Figures.spread($0)))" } ?? ""
        return atMost(limit, " × floor", name, measurement?.ratio, note: note)
    }

    /// A target for the rows that are written for each resource, and one more for each transaction: it may keep account of itself.
    private static func rows(_ limit: Int, _ name: String, _ measurement: Measurement?) -> Target {
        Target(
            name, limit == 0 ? "no row written" : "at most \(limit) rows a resource and 1 a transaction",
            measurement?.rows.map { rows in
                let operations = measurement?.operations ?? 0
                let most = limit == 0 ? 0 : limit * operations + (measurement?.transactions ?? 0)
                return ("\(Figures.grouped(rows)) rows for \(Figures.grouped(operations)) resources", rows <= most)
            })
    }

    /// A target for the cost at the largest size against that at 10,000, beside what the floor's cost is against its own.
    private static func growth(_ limit: Double, _ name: String, _ measurements: [Measurement]) -> Target? {
        guard let measured = measurements.last(where: { $0.name == name }) else { return nil }
        let floor = measurements.last { $0.name == GrowthWorkloads.floors[name] }?.ratio.map { " (the floor: \(Figures.ratio($0)))" }
        let title = "\(name): \(Figures.grouped(measured.size)) against \(Figures.grouped(GrowthWorkloads.base))"
        return atMost(limit, " times", title, measured.ratio, note: floor ?? "")
    }

    /// A target for the memory of the largest import, beside what smaller ones take.
    private static func memory(_ limit: Double, _ name: String, _ measurements: [Measurement]) -> Target? {
        let all = measurements.filter { $0.name == TransferWorkloads.imported && $0.addedMB != nil }.sorted { $0.size < $1.size }
        guard let largest = all.last else { return nil }
        let others = all.dropLast().map { "\(Figures.grouped($0.size)): \(Figures.text($0.addedMB))" }.joined(separator: ", ")
        return atMost(
            limit, " MB", "\(name), memory at \(Figures.grouped(largest.size))", largest.addedMB, note: others.isEmpty ? "" : " (\(others))"
        )
    }

    private static func quotient(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second, second > 0 else { return nil }
        return first / second
    }

    /// The size that the targets are about, which larger ones only have the growth beside.
    private static let size = 200_000

    /// The targets, with what the measurements at the largest size of each workload say.
    static func all(_ measurements: [Measurement]) -> [Target] {
        func largest(_ name: String) -> Measurement? {
            let all = measurements.filter { $0.name == name }.sorted { $0.size < $1.size }
            return all.last { $0.size <= size } ?? all.first
        }
        let new = largest(UpsertWorkloads.new)
        let unchanged = largest(UpsertWorkloads.unchanged)
        let changed = largest(UpsertWorkloads.changed)
        let imported = largest(TransferWorkloads.imported)
        let decode = largest(CodecWorkloads.decode)?.cpu
        let encode = largest(CodecWorkloads.encode)?.cpu
        let wide = largest(OpenWorkloads.wide)?.wall
        var targets: [Target?] = [
            atLeast(4, " times", "decode, against JSONSerialization", quotient(largest(CodecWorkloads.serialization)?.cpu, decode)),
            atLeast(12, " times", "decode, against JSONDecoder", quotient(largest(CodecWorkloads.jsonDecoder)?.cpu, decode)),
            atLeast(5, " times", "encode, against JSONEncoder", quotient(largest(CodecWorkloads.jsonEncoder)?.cpu, encode)),
            ratio(1.25, "bulk upsert, new", new),
            atLeast(0.75, " of the floor's wall rate", "NDJSON import", imported?.wallRate),
            memory(128, "NDJSON import", measurements),
            atLeast(4, " times the rate of new", "bulk upsert, unchanged", quotient(new?.cpu, unchanged?.cpu)),
            rows(0, "bulk upsert, unchanged", unchanged),
            atLeast(0.7, " of the rate of new", "bulk upsert, one field changed", quotient(new?.cpu, changed?.cpu)),
            rows(2, "bulk upsert, one field changed", changed),
            ratio(1.5, "fetch one by id", largest(FetchWorkloads.byID)),
            ratio(1.5, "fetch one by pk", largest(FetchWorkloads.byPK)),
            ratio(2.5, "scan a type", largest(ScanWorkloads.scan)),
            ratio(1.3, "delete many", largest(DeleteWorkloads.many)),
            atMost(
                1, " × the NDJSON", "file size",
                quotient(largest(FileSizeWorkload.file)?.bytesPerResource, largest(FileSizeWorkload.text)?.bytesPerResource)),
            atMost(10, " ms", "open a file of 300 tables", wide.map { $0 / 1_000 }),
        ]
        targets += [GrowthWorkloads.new, GrowthWorkloads.byID, GrowthWorkloads.objects].map { growth(1.3, $0, measurements) }
        return targets.compactMap(\.self)
    }
}

/// A speed that a store has to show, and what was measured of it with one kind of data.
struct Target {
    /// What was measured.
    struct Result {
        let text: String
        let isMet: Bool
    }

    let name: String
    let limit: String
    /// Nil where it was not measured.
    let result: Result?

    private init(_ name: String, _ limit: String, _ result: Result?) {
        self.name = name
        self.limit = limit
        self.result = result
    }

    private static func atMost(_ limit: Double, _ unit: String, _ name: String, _ value: Double?, note: String = "") -> Target {
        Target(
            name, "at most \(Figures.short(limit))\(unit)", value.map { Result(text: Figures.ratio($0) + unit + note, isMet: $0 <= limit) })
    }

    private static func atLeast(_ limit: Double, _ unit: String, _ name: String, _ value: Double?) -> Target {
        Target(name, "at least \(Figures.short(limit))\(unit)", value.map { Result(text: Figures.ratio($0) + unit, isMet: $0 >= limit) })
    }

    /// A target for the ratio to the floor, or to what stands in its place.
    private static func ratio(_ limit: Double, _ name: String, _ measurement: Measurement?, to floor: String = "floor") -> Target {
        let note = measurement?.ratioSpread.map { " (\(Figures.spread($0)))" } ?? ""
        return atMost(limit, " × \(floor)", name, measurement?.ratio, note: note)
    }

    /// A target for the rows that are written for each resource, and one more for each transaction: it may keep account of itself.
    private static func rows(_ limit: Int, _ name: String, _ measurement: Measurement?) -> Target {
        Target(
            name, limit == 0 ? "no row written" : "at most \(limit) rows a resource and 1 a transaction",
            measurement?.rows.map { rows in
                let operations = measurement?.operations ?? 0
                let most = limit == 0 ? 0 : limit * operations + (measurement?.transactions ?? 0)
                return Result(text: "\(Figures.grouped(rows)) rows for \(Figures.grouped(operations)) resources", isMet: rows <= most)
            })
    }

    /// A target for the cost at the largest size against that at 10,000, beside what the floor's cost is against its own.
    private static func growth(_ limit: Double, _ name: String, _ measurements: [Measurement]) -> Target {
        let measured = measurements.last { $0.name == name }
        let floor = measurements.last { $0.name == GrowthWorkloads.floors[name] }?.ratio.map { ", the floor \(Figures.ratio($0))" } ?? ""
        let sizes = measured.map { " (\(Figures.grouped($0.size)) against \(Figures.grouped(GrowthWorkloads.base))\(floor))" }
        return atMost(limit, " times", name, measured?.ratio, note: sizes ?? "")
    }

    /// A target for the memory of the largest run of a workload, beside what smaller ones take.
    private static func memory(_ limit: Double, _ name: String, of workload: String, _ measurements: [Measurement]) -> Target {
        let all = measurements.filter { $0.name == workload && $0.addedMB != nil }.sorted { $0.size < $1.size }
        let others = all.dropLast().map { ", \(Figures.grouped($0.size)): \(Figures.text($0.addedMB))" }.joined()
        let note = all.last.map { " (at \(Figures.grouped($0.size))\(others))" } ?? ""
        return atMost(limit, " MB", "\(name), memory", all.last?.addedMB, note: note)
    }

    private static func quotient(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second, second > 0 else { return nil }
        return first / second
    }

    /// The size that the targets are about, which larger ones only have the growth beside.
    private static let size = 200_000

    /// The targets, with what the measurements of one kind of data say at the largest size of each workload.
    private static func all(_ measurements: [Measurement]) -> [Target] {
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
        let targets = [
            atLeast(4, " times", "decode, against JSONSerialization", quotient(largest(CodecWorkloads.serialization)?.cpu, decode)),
            atLeast(12, " times", "decode, against JSONDecoder", quotient(largest(CodecWorkloads.jsonDecoder)?.cpu, decode)),
            atLeast(5, " times", "encode, against JSONEncoder", quotient(largest(CodecWorkloads.jsonEncoder)?.cpu, encode)),
            ratio(3, "decode, XML Bundle", largest(XMLWorkloads.decode), to: "the parser alone"),
            ratio(1.25, "bulk upsert, new", new),
            atLeast(0.75, " of the floor's wall rate", "NDJSON import", imported?.wallRate),
            memory(128, "NDJSON import", of: TransferWorkloads.imported, measurements),
            atLeast(4, " times the rate of new", "bulk upsert, unchanged", quotient(new?.cpu, unchanged?.cpu)),
            rows(0, "bulk upsert, unchanged, rows", unchanged),
            atLeast(0.75, " of the rate of new", "bulk upsert, one field changed", quotient(new?.cpu, changed?.cpu)),
            rows(2, "bulk upsert, one field changed, rows", changed),
            ratio(1.45, "fetch one by id", largest(FetchWorkloads.byID)),
            ratio(1.45, "fetch one by pk", largest(FetchWorkloads.byPK)),
            ratio(1.8, "open, fetch one by id", largest(FetchWorkloads.cold)),
            ratio(1.2, "all() of 1,000 hits", largest(HitsWorkloads.all), to: "resources(ids:)"),
            ratio(2.1, "scan a type", largest(ScanWorkloads.scan)),
            ratio(1.3, "delete many", largest(DeleteWorkloads.many)),
            ratio(1.5, "push of 10,000 new resources", largest(SyncWorkloads.push)),
            ratio(1.5, "pull", largest(SyncWorkloads.pull)),
            memory(128, "pull", of: SyncWorkloads.memory, measurements),
            atMost(
                1, " × the NDJSON", "file size",
                quotient(largest(FileSizeWorkload.file)?.bytesPerResource, largest(FileSizeWorkload.text)?.bytesPerResource)),
            atMost(10, " ms", "open a file of 300 tables", wide.map { $0 / 1_000 }),
        ]
        return targets + [GrowthWorkloads.new, GrowthWorkloads.byID, GrowthWorkloads.objects].map { growth(1.3, $0, measurements) }
    }

    // MARK: - Judgement

    /// The targets with a column for each kind of data. One is met where it is met with each kind that it was measured with: the worse counts.
    static func table(_ measurements: [Measurement]) -> [[String]] {
        let kinds = DataKind.allCases.filter { kind in measurements.contains { $0.kind == kind } }
        let columns = kinds.map { kind in all(measurements.filter { $0.kind == kind }) }
        let header = ["workload", "target"] + kinds.map(\.rawValue) + [""]
        return [header]
            + all([]).indices.map { index in
                let row = columns.map { $0[index] }
                let results = row.compactMap(\.result)
                let verdict = results.isEmpty ? "not measured" : results.allSatisfy(\.isMet) ? "met" : "missed"
                return [row.first?.name ?? "", row.first?.limit ?? ""] + row.map { $0.result?.text ?? "–" } + [verdict]
            }
    }
}

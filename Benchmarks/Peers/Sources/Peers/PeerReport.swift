import FireLite
import Foundation
import GRDB

/// The peers side by side.
struct PeerReport {
    private let results: [PeerResult]
    private let title: String
    private var peers: [String] { results.map(\.peer).reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
    private var workloads: [String] { results.map(\.workload).reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }

    init(_ results: [PeerResult], title: String) {
        self.results = results
        self.title = title
    }

    /// The workloads with which not every peer came to the same result, and their results.
    var differences: [String] {
        workloads.compactMap { workload in
            let outcomes = results.filter { $0.workload == workload }.map(\.outcome)
            return Set(outcomes).count == 1 ? nil : "\(workload): \(outcomes.map(String.init).joined(separator: ", "))"
        }
    }

    /// Processor time for one operation, and how many times FireLite's that is.
    var rows: [[String]] {
        let header =
            ["CPU µs/op, or bytes"] + peers.enumerated().flatMap { $0.offset == 0 ? [$0.element] : [$0.element, "times FireLite"] }
        return [header]
            + workloads.map { workload in
                let values = peers.map { peer in results.first { $0.workload == workload && $0.peer == peer }?.value }
                let base = values.first ?? nil
                return [workload]
                    + values.enumerated().flatMap { index, value in
                        let text = Figures.text(value)
                        return index == 0 ? [text] : [text, Figures.ratio(value.flatMap { value in base.map { value / $0 } })]
                    }
            }
    }

    /// Where a peer needs less than FireLite.
    private var defeats: String {
        var lines: [String] = []
        for workload in workloads {
            guard let own = results.first(where: { $0.workload == workload })?.value else { continue }
            for result in results where result.workload == workload && result.value < own {
                lines.append("* \(workload): \(result.peer) needs \(Figures.ratio(result.value / own)) of what FireLite needs.")
            }
        }
        return lines.isEmpty ? "Nowhere in this run." : lines.joined(separator: "\n")
    }

    /// How many times the second peer's time must be FireLite's at least.
    private static let targets = [
        ("bulk write, new", 2.0), ("fetch one by id", 4.0), ("fetch many ids", 8.0), ("count by nested element, no index", 20.0),
    ]

    private var targetRows: [[String]] {
        let rows = Self.targets.map { workload, limit in
            let values = results.filter { $0.workload == workload }.map(\.value)
            let times = values.count > 1 ? values[1] / values[0] : 0
            return [workload, "at least \(Figures.short(limit)) times", "\(Figures.ratio(times)) times", times >= limit ? "met" : "missed"]
        }
        return [["against \(peers.dropFirst().first ?? "")", "target", "measured", ""]] + rows
    }

    var text: String { ResultTable.text(rows) + "\n\n" + ResultTable.text(targetRows) + "\n\nWhere the peers win:\n" + defeats }

    func write(to folder: String) throws {
        let sqlite = try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let results =
            differences.isEmpty
            ? "Every peer came to the same results." : "The results differed with \(differences.joined(separator: "; "))."
        let page = """
            # FireLite beside what an app would use instead

            Made by `make bench`. GRDB 7 holds JSON text in a table for each type and uses Foundation's coders with the same classes;
            the second peer adds expression indexes of JSON1. `decode JSON` and `encode JSON` are coders without a store: Foundation's are in
            the column of the first peer, and FHIRModels has a column if `FHIRMODELS=1` is set. All peers have write-ahead logs and durable commits, and took turns
            with every workload, at least five times. \(Figures.grouped(self.results.first?.size ?? 0)) resources, \(title). \(results)

            \(ResultTable.markdown([["machine", ""]] + MachineFacts.all(sqlite: sqlite).map { [$0.name, $0.value] }))

            ## Side by side

            Processor time of all threads for one resource, query or page, the median; `times FireLite` above 1 is in
            FireLite's favor, and below 1 the peer is the faster one. The making of the objects to write and the freeing of
            those read are left out, but where one is fetched at a time: each is freed before the next.

            \(ResultTable.markdown(rows))

            ## Targets

            \(ResultTable.markdown(targetRows))

            ## Where the peers win

            \(defeats)

            JSON in one row is less work to write by itself and to delete than rows in several tables, and a file of few tables is
            opened sooner; what makes JSON slow is the coder. An expression index knows an element of a list by its place
            only, so that the indexed count of the second peer sees the first coding of each observation, where FireLite
            sees all of them; and it sorts times as text, which is wrong where their offsets differ. Foundation's coders
            keep the value of a decimal but not its literal, so that `1.50` comes back as `1.5`; results were compared by
            value for that.

            """
        try Data(page.utf8).write(to: URL(fileURLWithPath: folder + "/Peers.md"))
    }
}

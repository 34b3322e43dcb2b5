import FireLiteSQLiteBridge
import Foundation

/// The measurements as a page with tables and charts.
struct MarkdownReport {
    private let measurements: [Measurement]
    private let corpora: [Corpus]

    init(_ measurements: [Measurement], _ corpora: [Corpus]) {
        self.measurements = measurements
        self.corpora = corpora
    }

    /// Writes `README.md`, the charts beside it and `results.json`.
    func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let growths = GrowthWorkloads().names
        let ratios = RatioChart(measurements.filter { $0.size == largest(of: $0.kind) && !growths.contains($0.name) })
        try save(ratios.svg(), folder, "ratios.svg")
        let sizes = SizeChart(
            measurements.filter { $0.kind != .claims },
            names: [UpsertWorkloads.new, UpsertWorkloads.unchanged, FetchWorkloads.byID, ScanWorkloads.scan, QueryWorkloads.objects])
        if !sizes.isEmpty { try save(sizes.svg(), folder, "sizes.svg") }
        try save(page(hasSizes: !sizes.isEmpty), folder, "README.md")
        try JSONResults.write(measurements, to: folder + "/results.json")
    }

    /// The largest size that a kind of data was measured at.
    private func largest(of kind: DataKind) -> Int { measurements.filter { $0.kind == kind }.map(\.size).max() ?? 0 }

    private func save(_ text: String, _ folder: String, _ name: String) throws {
        let path = folder + "/" + name
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch { throw BenchmarkFailure("cannot write \(path)") }
    }

    private func page(hasSizes: Bool) -> String {
        var parts = [
            "# What a FireLite store costs",
            """
            Made by `make bench`. Each workload was measured beside its floor: SQLite's C API alone, with prepared statements, writing or
            reading the same rows of the same tables, as durably and with as large caches, in the same run. A ratio of 1 is
            the limit of SQLite itself; what a store does beside to find damage, checksums of pages and digests of contents,
            is in its own cost. Times are of the processor, of all threads. Work and floor were measured several times in
            turns: times are medians, a ratio is the median of the ratios of each time, and the least and the greatest of them
            stand beside it. Every result was compared with what it had to be after the timing.
            """,
            ResultTable.markdown(
                [["machine", ""]] + MachineFacts.all(sqlite: Connection.libraryVersion).map { [$0.name, $0.value] }
                    + corpora.map { ["data, \($0.kind.rawValue)", $0.title] }),
            "## Ratio to the floor",
            "At \(sizes) resources:\n\n![CPU time as a multiple of the floor's](ratios.svg)",
        ]
        if hasSizes { parts.append("## Cost against size\n\n![CPU time of one operation against store size](sizes.svg)") }
        parts += [
            "## Targets", ResultTable.markdown(Target.table(measurements)), "A target is judged by the worse of the kinds of data.",
            "[Peers.md](Peers.md) has FireLite beside what an app would use instead.", "## All figures",
            ResultTable.markdown([ResultTable.header] + measurements.map(ResultTable.row)), notes,
        ]
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var sizes: String {
        corpora.map { Figures.grouped(largest(of: $0.kind)) + (corpora.count > 1 ? " (\($0.kind.rawValue))" : "") }.joined(
            separator: " and ")
    }

    private var notes: String {
        """
        `op` is a resource for bulk work, fetches, scans and deletes, a query for counts, a page for the sorted page, an opening for
        files. `rows/op` is how many rows were inserted, updated and deleted, `written/op` how many bytes were handed to the system
        for it: to the file, its log, and what an export writes; `× floor` compares them with the floor's. `peak MB` is the most memory the process had in
        use, with the data, which are held as text, and the objects of the workload in it. Bulk upserts store objects that are
        in memory; the import reads JSON on a second thread, so its processor time is for both, and its wall time is what a
        person waits. The floor of a scan reads each table from beginning to end; beside it stands one that reads each resource
        by key ranges. A growth of the cost with the size of the store is measured in turns with the same work at 10,000 resources, which
        replaces the floor; the growth of the floor is shown with it, as a larger file is more work for SQLite too: deeper
        trees, and pages that are not in its cache.
        """
    }
}

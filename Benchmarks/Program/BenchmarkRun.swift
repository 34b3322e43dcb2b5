import Foundation

/// A run of all workloads that the options ask for.
struct BenchmarkRun {
    let options: Options
    private let progress = ProgressLine()

    init(options: Options) { self.options = options }

    static let workloads: [any Workload] = [
        CodecWorkloads(), UpsertWorkloads(), FetchWorkloads(), ScanWorkloads(), QueryWorkloads(), ManagedWorkloads(), SingleWorkloads(),
        DeleteWorkloads(),
        OpenWorkloads(), TransferWorkloads(), ConcurrencyWorkloads(), FileSizeWorkload(),
    ]

    /// Measures, prints a table, and writes the files that are asked for.
    ///
    /// - Returns: whether every result was right.
    func run() throws -> Bool {
        let old = try options.compare.map { try JSONResults.read($0) }
        let largest = options.sizes.last ?? 0
        progress.show("preparing the data")
        let corpus = try options.data.map { try Corpus.folder($0) } ?? Corpus.synthetic(largest)
        let sizes = Array(Set(options.sizes.map { min($0, corpus.count) })).sorted()
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        var measurements: [Measurement] = []
        for size in sizes {
            let part = options.data == nil ? corpus.prefix(size) : corpus.sample(size)
            let bench = Bench(options: options, corpus: part, scratch: scratch, progress: progress)
            for workload in Self.workloads where workload.names.contains(where: bench.wants) && workload.isWorthwhile(at: size, of: sizes) {
                measurements += try workload.run(bench)
            }
            bench.fixture.delete()
        }
        progress.clear()
        try report(measurements, corpus, old)
        return measurements.allSatisfy(\.isVerified)
    }

    private func report(_ measurements: [Measurement], _ corpus: Corpus, _ old: [JSONResults.Entry]?) throws {
        print(ResultTable.text(measurements))
        if let folder = options.report { try MarkdownReport(measurements, title: corpus.title).write(to: folder) }
        if let json = options.json { try JSONResults.write(measurements, to: json) }
        if let old { print(Comparison.text(old: old, new: measurements.map(JSONResults.Entry.init))) }
    }
}

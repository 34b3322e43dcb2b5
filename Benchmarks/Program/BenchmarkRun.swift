import Foundation

/// A run of all workloads that the options ask for.
struct BenchmarkRun {
    let options: Options
    private let progress = ProgressLine()
    /// A longer text of synthetic resources is these over and over with other ids.
    private static let mostSynthetic = 120_000

    init(options: Options) { self.options = options }

    /// Those that fetch one resource at a time come before those that have all of them in memory: these leave the heap in pieces, and an
    /// allocator that has to put them together makes the reading of objects dearer by up to half.
    static let workloads: [any Workload] = [
        FetchWorkloads(), StatementHookWorkload(), HitsWorkloads(), LiveWorkloads(), TrackingWorkloads(), GrowthWorkloads(),
        CodecWorkloads(), FHIRPathWorkloads(),
        XMLWorkloads(), SearchWorkloads(), ViewWorkloads(), SyncWorkloads(),
        PayloadWorkloads(), RecordWorkloads(), SampleWorkloads(), AuditWorkloads(), PermissionWorkloads(), TerminologyWorkloads(),
        ValidationWorkloads(),
        UpsertWorkloads(),
        ScanWorkloads(), QueryWorkloads(),
        QueryShareWorkloads(),
        ManagedWorkloads(),
        SingleWorkloads(),
        DeleteWorkloads(), OpenWorkloads(), TransferWorkloads(), CoresWorkloads(), ValidatedImportWorkload(), ConcurrencyWorkloads(),
        FileSizeWorkload(),
    ]

    /// How a run ended.
    enum Outcome: Int32 {
        case right = 0
        case wrong = 1
        /// Something is slower than before by more than noise.
        case slower = 3
    }

    /// Measures, prints a table, and writes the files that are asked for.
    func run() throws -> Outcome {
        let old = try options.compare.map { try JSONResults.read($0) }
        try checkOutputs()
        let names = Self.workloads.flatMap(\.names)
        for filter in options.filters where !names.contains(where: { $0.lowercased().contains(filter.lowercased()) }) {
            throw BenchmarkFailure("no workload has '\(filter)' in its name; there are: \(names.joined(separator: "; "))")
        }
        progress.show("preparing the data")
        let corpora = try corpora()
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        // Small before large, as the allocator's state depends on what was in memory before; claims before as many others, for the same.
        let steps = corpora.flatMap { corpus in sizes(of: corpus).map { (corpus, $0) } }
            .sorted { ($0.1, $0.0.kind.rawValue) < ($1.1, $1.0.kind.rawValue) }
        var measurements: [DataKind: [Measurement]] = [:]
        for (corpus, size) in steps {
            measurements[corpus.kind, default: []] += try measure(corpus, size, scratch)
        }
        progress.clear()
        return try report(corpora.flatMap { measurements[$0.kind] ?? [] }, corpora, old)
    }

    private func measure(_ corpus: Corpus, _ size: Int, _ scratch: ScratchFolder) throws -> [Measurement] {
        let sizes = sizes(of: corpus)
        let part = corpus.kind == .files ? corpus.sample(size) : corpus.prefix(size)
        let bench = Bench(options: options, corpus: part, scratch: scratch, progress: progress)
        defer { bench.fixture.delete() }
        return try Self.workloads
            .filter { $0.names.contains(where: bench.wants) && $0.isWorthwhile(at: size, of: sizes) }
            .flatMap { try $0.run(bench) }
    }

    private func sizes(of corpus: Corpus) -> [Int] {
        Array(Set(corpus.kind.sizes(of: options.sizes).map { min($0, corpus.count) })).sorted()
    }

    private func corpora() throws -> [Corpus] {
        guard let folder = options.data else {
            return try options.kinds.map { kind in
                let largest = kind.sizes(of: options.sizes).last ?? 0
                return try Corpus.synthetic(kind, min(largest, Self.mostSynthetic)).repeated(until: largest)
            }
        }
        let corpus = try Corpus.folder(folder)
        return [options.areSizesGiven ? try corpus.repeated(until: options.sizes.last ?? 0) : corpus]
    }

    // MARK: - Output

    /// Finds out before the minutes of measuring whether their figures can be written.
    private func checkOutputs() throws {
        if let folder = options.report {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            } catch { throw BenchmarkFailure("cannot make the folder \(folder) for the report") }
            guard FileManager.default.isWritableFile(atPath: folder) else { throw BenchmarkFailure("cannot write to the folder \(folder)") }
        }
        if let json = options.json {
            var isFolder: ObjCBool = false
            let folder = URL(fileURLWithPath: json).deletingLastPathComponent().path
            let exists = FileManager.default.fileExists(atPath: json, isDirectory: &isFolder)
            guard !isFolder.boolValue, FileManager.default.isWritableFile(atPath: exists ? json : folder) else {
                throw BenchmarkFailure("cannot write to \(json)")
            }
        }
    }

    private func report(_ measurements: [Measurement], _ corpora: [Corpus], _ old: [JSONResults.Entry]?) throws -> Outcome {
        print(ResultTable.text(measurements))
        if options.filters.isEmpty { print("\n" + ResultTable.text(Target.table(measurements))) }
        if let folder = options.report { try MarkdownReport(measurements, corpora).write(to: folder) }
        if let json = options.json { try JSONResults.write(measurements, to: json) }
        let comparison = old.map { Comparison(old: $0, new: measurements) }
        if let comparison { print("\n" + comparison.text) }
        guard measurements.allSatisfy(\.isVerified) else { return .wrong }
        return comparison?.hasSlower == true ? .slower : .right
    }
}

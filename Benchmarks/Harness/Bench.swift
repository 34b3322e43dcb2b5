import FireLite
import Foundation

/// What a workload works with: the data of one size, a store filled with it, and the means to measure.
final class Bench {
    let options: Options
    let corpus: Corpus
    let scratch: ScratchFolder
    let fixture: Fixture
    private let progress: ProgressLine

    var size: Int { corpus.count }

    init(options: Options, corpus: Corpus, scratch: ScratchFolder, progress: ProgressLine) {
        self.options = options
        self.corpus = corpus
        self.scratch = scratch
        self.progress = progress
        fixture = Fixture(corpus: corpus, scratch: scratch)
    }

    func wants(_ name: String) -> Bool { options.wants(name) && corpus.kind.includes(name) }

    /// The means to work with other data in the same run.
    func sibling(_ corpus: Corpus) -> Bench { Bench(options: options, corpus: corpus, scratch: scratch, progress: progress) }

    // MARK: - The data's keys

    private var knownKeys: [ResourceKey]?

    /// The keys of all resources, in the order of the data.
    func keys() throws -> [ResourceKey] {
        let keys = try knownKeys ?? ResourceKey.all(corpus)
        knownKeys = keys
        return keys
    }

    /// The keys of the resources of the type that most of the data's text is of, in the order of the data.
    func mainKeys() throws -> [ResourceKey] {
        let sizes = try keys().reduce(into: [:] as [String: Int]) { $0[$1.typeName, default: 0] += corpus.bytes(at: $1.index) }
        guard let most = sizes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            throw BenchmarkFailure("no resource of the data has an id")
        }
        return try keys().filter { $0.typeName == most.key }
    }

    // MARK: - Measuring

    /// Measures work, and its floor where it has one, in turns.
    ///
    /// - Parameters:
    ///   - subject: does the work once, with the part that counts inside the stopwatch's `measure`.
    ///   - floor: the same with SQLite's C API.
    ///   - verify: called last; whether what both did is right.
    func measure(
        _ name: String, operations: Int, subject: (Stopwatch) throws -> Void, floor: ((Stopwatch) throws -> Void)? = nil,
        verify: () throws -> Bool
    ) throws -> Measurement {
        var repetitions: [Measurement.Repetition] = []
        var peak = 0.0
        let start = Stopwatch.seconds(CLOCK_MONOTONIC)
        while !Repetitions.isEnough(
            repetitions.count, elapsed: Stopwatch.seconds(CLOCK_MONOTONIC) - start, size: size, wanted: options.repetitions)
        {
            progress.show("\(corpus.kind.rawValue), \(Figures.grouped(size)) resources, \(name), \(repetitions.count + 1)")
            ProcessMemory.resetPeak()
            let stopwatch = Stopwatch()
            try subject(stopwatch)
            peak = max(peak, ProcessMemory.peakMB)
            let floorWatch = Stopwatch()
            try floor?(floorWatch)
            repetitions.append(Measurement.Repetition(cost: stopwatch.cost, floor: floor == nil ? nil : floorWatch.cost))
        }
        progress.show("\(corpus.kind.rawValue), \(Figures.grouped(size)) resources, \(name), verifying")
        return Measurement(
            name: name, kind: corpus.kind, size: size, operations: operations, repetitions: repetitions, peakMB: peak,
            isVerified: try verify())
    }

    /// The maximum memory that work takes in addition to what is in use before it, in mebibytes. Not measured together with time: memory that
    /// was returned to the system must be allocated again, page by page.
    func addedMemory(_ work: () throws -> Void) rethrows -> Double {
        ProcessMemory.giveBack()
        ProcessMemory.resetPeak()
        let before = ProcessMemory.currentMB
        try work()
        return ProcessMemory.peakMB - before
    }

    // MARK: - Stores

    func openStore(_ path: String, durability: FHIRStore.Durability = .full, cores: Int? = nil) throws -> FHIRStore {
        try Fixture.open(path, durability: durability, cores: cores)
    }
}

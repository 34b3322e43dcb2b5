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

    /// Each is measured more than once: the first time pays for memory that the system has yet to clear.
    var repetitions: Int { options.repetitions ?? (size > 200_000 ? 1 : size > 20_000 ? 2 : size > 2_000 ? 3 : 5) }

    init(options: Options, corpus: Corpus, scratch: ScratchFolder, progress: ProgressLine) {
        self.options = options
        self.corpus = corpus
        self.scratch = scratch
        self.progress = progress
        fixture = Fixture(corpus: corpus, scratch: scratch)
    }

    func wants(_ name: String) -> Bool {
        guard let filter = options.filter else { return true }
        return name.lowercased().contains(filter.lowercased())
    }

    // MARK: - Measuring

    /// Measures work, and its floor where it has one, in turns; the least cost of each counts.
    ///
    /// - Parameters:
    ///   - subject: does the work once, with the part that counts inside the stopwatch's `measure`.
    ///   - floor: the same with SQLite's C API.
    ///   - verify: called last; whether what both did is right.
    func measure(
        _ name: String, operations: Int, repetitions: Int? = nil, subject: (Stopwatch) throws -> Void,
        floor: ((Stopwatch) throws -> Void)? = nil,
        verify: () throws -> Bool
    ) throws -> Measurement {
        var cost: Cost?
        var floorCost: Cost?
        var peak = 0.0
        var added = 0.0
        for repetition in 1...max(repetitions ?? self.repetitions, 1) {
            progress.show("\(size) resources, \(name), \(repetition)")
            ProcessMemory.resetPeak()
            let before = ProcessMemory.currentMB
            let stopwatch = Stopwatch()
            try subject(stopwatch)
            added = max(added, ProcessMemory.peakMB - before)
            cost = Cost.least(cost, stopwatch.cost)
            peak = max(peak, ProcessMemory.peakMB)
            if let floor {
                let stopwatch = Stopwatch()
                try floor(stopwatch)
                floorCost = Cost.least(floorCost, stopwatch.cost)
            }
        }
        progress.show("\(size) resources, \(name), verifying")
        let isVerified = try verify()
        return Measurement(
            name: name, size: size, operations: operations, cost: cost ?? Cost(), floor: floorCost, peakMB: peak, addedMB: added,
            isVerified: isVerified)
    }

    // MARK: - Stores

    func openStore(_ path: String, durability: FHIRStore.Durability = .full) throws -> FHIRStore {
        try Fixture.open(path, durability: durability)
    }

    /// Runs `body` on a store in a copy of the filled file, and deletes it.
    func withCopy<Result>(_ body: (FHIRStore, String) throws -> Result) throws -> Result {
        let path = try scratch.copy(of: fixture.path())
        defer { scratch.delete(path) }
        return try body(openStore(path), path)
    }
}

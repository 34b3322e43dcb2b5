/// What one workload at one size cost, beside its floor.
struct Measurement {
    /// The cost of one more run of the work, and of the floor right after it.
    struct Repetition {
        let cost: Cost
        /// The cost of as many operations of the floor: SQLite's C API alone with the same rows.
        let floor: Cost?
    }

    let name: String
    /// What was worked on.
    let kind: DataKind
    /// How many resources there are to work on.
    let size: Int
    /// How many times the work was done: what costs are divided by.
    let operations: Int
    let repetitions: [Repetition]
    var bytesPerResource: Double?
    /// How many rows were inserted, updated and deleted in one repetition.
    var rows: Int?
    /// In how many transactions.
    var transactions = 1
    /// The most memory the process had in use meanwhile, in mebibytes.
    let peakMB: Double
    /// How much memory the work took beside what was in use before it; nil where that was not looked at.
    var addedMB: Double?
    /// Whether the result was what it had to be.
    let isVerified: Bool

    // MARK: - Costs

    /// Microseconds of processor time for one operation: the median of the repetitions, as all that follow.
    var cpu: Double { perOperation(repetitions.map(\.cost.cpu)) ?? 0 }
    /// Microseconds on the wall for one operation.
    var wall: Double { perOperation(repetitions.map(\.cost.wall)) ?? 0 }
    var floorCPU: Double? { perOperation(repetitions.compactMap { $0.floor?.cpu }) }
    var floorWall: Double? { perOperation(repetitions.compactMap { $0.floor?.wall }) }
    var operationsPerSecond: Double { wall > 0 ? 1e6 / wall : 0 }
    var rowsPerOperation: Double? { rows.map { Double($0) / Double(max(operations, 1)) } }

    /// Bytes written for one operation; nil where nothing was, or the system does not say.
    var written: Double? { Self.some(Median.of(repetitions.map(\.cost.written)).map { $0 / Double(max(operations, 1)) }) }
    /// How many times the bytes that the floor wrote.
    var writtenRatio: Double? {
        guard written != nil, let floor = Self.some(Median.of(repetitions.compactMap { $0.floor?.written })) else { return nil }
        return Median.of(repetitions.map(\.cost.written)).map { $0 / floor }
    }

    private static func some(_ bytes: Double?) -> Double? { bytes.flatMap { $0 > 0.5 ? $0 : nil } }

    private func perOperation(_ seconds: [Double]) -> Double? { Median.of(seconds).map { $0 / Double(max(operations, 1)) * 1e6 } }

    // MARK: - Ratios

    /// How many times the floor's processor time each repetition took. The two were measured one right after the other, so that what else
    /// the machine did then was the same for both.
    private var ratios: [Double] {
        repetitions.compactMap { repetition in repetition.floor.map { repetition.cost.cpu / max($0.cpu, 1e-9) } }
    }

    /// How many times the floor's processor time; nil without a floor.
    var ratio: Double? { Median.of(ratios) }
    /// What part of the floor's rate on the wall.
    var wallRate: Double? {
        Median.of(repetitions.compactMap { repetition in repetition.floor.map { $0.wall / max(repetition.cost.wall, 1e-9) } })
    }

    /// The least and the greatest ratio; nil where there are not two.
    var ratioSpread: ClosedRange<Double>? {
        guard ratios.count > 1, let least = ratios.min(), let greatest = ratios.max() else { return nil }
        return least...greatest
    }
}

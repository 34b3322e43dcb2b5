/// What one workload at one size cost, beside its floor.
struct Measurement {
    let name: String
    /// How many resources there are to work on.
    let size: Int
    /// How many times the work was done: what costs are divided by.
    let operations: Int
    let cost: Cost
    /// The cost of as many operations of the least that has to be done: of SQLite's C API alone with the same rows.
    var floor: Cost?
    var bytesPerResource: Double?
    /// How many rows an operation inserted, updated and deleted.
    var rowsPerOperation: Double?
    /// The most memory the process had in use meanwhile, in mebibytes.
    let peakMB: Double
    /// How much of that was not in use before.
    var addedMB = 0.0
    /// Whether the result was what it had to be.
    let isVerified: Bool

    /// Microseconds of processor time for one operation.
    var cpu: Double { cost.cpu / Double(max(operations, 1)) * 1e6 }
    /// Microseconds on the wall for one operation.
    var wall: Double { cost.wall / Double(max(operations, 1)) * 1e6 }
    var floorCPU: Double? { floor.map { $0.cpu / Double(max(operations, 1)) * 1e6 } }
    var floorWall: Double? { floor.map { $0.wall / Double(max(operations, 1)) * 1e6 } }
    /// How many times the floor's processor time; nil without a floor.
    var ratio: Double? { floor.map { cost.cpu / max($0.cpu, 1e-9) } }
    var operationsPerSecond: Double { Double(operations) / max(cost.wall, 1e-9) }
}

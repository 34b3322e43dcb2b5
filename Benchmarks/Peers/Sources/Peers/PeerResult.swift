/// What one peer needed for one workload.
struct PeerResult {
    let workload: String
    let peer: String
    let size: Int
    let operations: Int
    let cost: Cost
    /// Bytes instead of time, for sizes.
    var bytes: Int?
    /// Something that must be the same for every peer.
    let outcome: Int

    /// Microseconds of processor time for one operation, or bytes.
    var value: Double { bytes.map { Double($0) / Double(max(operations, 1)) } ?? cost.cpu / Double(max(operations, 1)) * 1e6 }
}

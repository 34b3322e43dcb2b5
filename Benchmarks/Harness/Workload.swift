/// Something a store is used for, measured beside the least that SQLite needs for it.
protocol Workload: Sendable {
    /// What its measurements are called, for `--filter`.
    var names: [String] { get }

    /// Whether it is run at a size; the cost of some does not depend on it.
    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool

    /// - Returns: the measurements that `bench` wants.
    func run(_ bench: Bench) throws -> [Measurement]
}

extension Workload {
    func isWorthwhile(at size: Int, of sizes: [Int]) -> Bool { true }
}

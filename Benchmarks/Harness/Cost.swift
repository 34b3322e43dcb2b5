/// What work took, in seconds: of processor time by all threads, and by the clock on the wall.
struct Cost {
    var cpu = 0.0
    var wall = 0.0

    /// The smaller of both in each respect: what disturbs a measurement only ever adds to it.
    static func least(_ first: Cost?, _ second: Cost) -> Cost {
        guard let first else { return second }
        return Cost(cpu: min(first.cpu, second.cpu), wall: min(first.wall, second.wall))
    }
}

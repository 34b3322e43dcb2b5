/// What work took, in seconds: of processor time by all threads, and by the clock on the wall.
struct Cost {
    var cpu = 0.0
    var wall = 0.0

    static func * (cost: Cost, times: Double) -> Cost { Cost(cpu: cost.cpu * times, wall: cost.wall * times) }
}

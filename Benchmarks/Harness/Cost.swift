/// What work took: seconds of processor time by all threads, and by the clock on the wall, and the bytes that it wrote.
struct Cost {
    var cpu = 0.0
    var wall = 0.0
    /// What was handed to the system to be written; 0 where the system does not say.
    var written = 0.0

    static func * (cost: Cost, times: Double) -> Cost {
        Cost(cpu: cost.cpu * times, wall: cost.wall * times, written: cost.written * times)
    }
}

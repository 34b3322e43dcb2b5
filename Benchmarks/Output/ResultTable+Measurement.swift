/// The measurements as a table.
extension ResultTable {
    static let header = [
        "workload", "data", "size", "CPU µs/op", "wall µs/op", "floor CPU µs", "ratio", "from–to", "op/s", "rows/op", "bytes/resource",
        "written/op", "× floor", "peak MB", "verified",
    ]

    static func row(_ measurement: Measurement) -> [String] {
        let isTimed = !measurement.repetitions.isEmpty
        return [
            measurement.name, measurement.kind.rawValue, Figures.grouped(measurement.size), isTimed ? Figures.text(measurement.cpu) : "–",
            isTimed ? Figures.text(measurement.wall) : "–", Figures.text(measurement.floorCPU), Figures.ratio(measurement.ratio),
            Figures.spread(measurement.ratioSpread), isTimed ? Figures.grouped(Int(measurement.operationsPerSecond)) : "–",
            Figures.text(measurement.rowsPerOperation), Figures.text(measurement.bytesPerResource), Figures.text(measurement.written),
            Figures.ratio(measurement.writtenRatio), Figures.text(measurement.peakMB), measurement.isVerified ? "yes" : "NO",
        ]
    }

    static func text(_ measurements: [Measurement]) -> String { text([header] + measurements.map(row)) }
}

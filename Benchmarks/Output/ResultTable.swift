/// The measurements as a table of text.
enum ResultTable {
    static let header = [
        "workload", "size", "CPU µs/op", "wall µs/op", "floor CPU µs", "ratio", "from–to", "op/s", "rows/op", "bytes/resource", "peak MB",
        "verified",
    ]

    static func row(_ measurement: Measurement) -> [String] {
        let isTimed = !measurement.repetitions.isEmpty
        return [
            measurement.name, Figures.grouped(measurement.size), isTimed ? Figures.text(measurement.cpu) : "–",
            isTimed ? Figures.text(measurement.wall) : "–", Figures.text(measurement.floorCPU), Figures.ratio(measurement.ratio),
            Figures.spread(measurement.ratioSpread), isTimed ? Figures.grouped(Int(measurement.operationsPerSecond)) : "–",
            Figures.text(measurement.rowsPerOperation), Figures.text(measurement.bytesPerResource), Figures.text(measurement.peakMB),
            measurement.isVerified ? "yes" : "NO",
        ]
    }

    static func text(_ measurements: [Measurement]) -> String { text([header] + measurements.map(row)) }

    /// Columns of equal width, the first to the left and the others to the right.
    static func text(_ rows: [[String]]) -> String {
        let widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + padding : padding + text
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func markdown(_ rows: [[String]]) -> String {
        guard let header = rows.first else { return "" }
        let rule = header.indices.map { $0 == 0 ? "---" : "--:" }
        return ([header, rule] + rows.dropFirst()).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }
}

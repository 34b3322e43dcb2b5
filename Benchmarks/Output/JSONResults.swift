import Foundation

/// Measurements as JSON, to be kept and compared with later ones.
enum JSONResults {
    /// One measurement.
    struct Entry: Codable {
        let name: String
        /// Nil in results from before there were several kinds of data.
        let data: DataKind?
        let size: Int
        let cpu_us_per_op: Double
        let wall_us_per_op: Double
        let floor_cpu_us_per_op: Double?
        let ratio_to_floor: Double?
        let ops_per_second: Double
        let bytes_per_resource: Double?
        /// Bytes that each operation wrote; nil where there were none, and in earlier results.
        let written_bytes_per_op: Double?
        let peak_rss_mb: Double
        /// Nil where the memory was not measured by itself, and in earlier results.
        let added_mb: Double?
        let verified: Bool

        /// Nil for what has no time, as a size.
        var cpu: Double? { cpu_us_per_op > 0 ? cpu_us_per_op : nil }

        init(_ measurement: Measurement) {
            name = measurement.name
            data = measurement.kind
            size = measurement.size
            cpu_us_per_op = Figures.rounded(measurement.cpu)
            wall_us_per_op = Figures.rounded(measurement.wall)
            floor_cpu_us_per_op = measurement.floorCPU.map(Figures.rounded)
            ratio_to_floor = measurement.ratio.map(Figures.rounded)
            ops_per_second = Figures.rounded(measurement.operationsPerSecond)
            bytes_per_resource = measurement.bytesPerResource.map(Figures.rounded)
            written_bytes_per_op = measurement.written.map(Figures.rounded)
            peak_rss_mb = Figures.rounded(measurement.peakMB)
            added_mb = measurement.addedMB.map(Figures.rounded)
            verified = measurement.isVerified
        }

        /// Whether both are about the same work on the same data.
        func isComparable(with other: Entry) -> Bool {
            name == other.name && size == other.size && (data == other.data || (other.data == nil && data != .claims))
        }

        /// Writes null for what there is none of, so that every entry has every member.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(data, forKey: .data)
            try container.encode(size, forKey: .size)
            try container.encode(cpu_us_per_op, forKey: .cpu_us_per_op)
            try container.encode(wall_us_per_op, forKey: .wall_us_per_op)
            try container.encode(floor_cpu_us_per_op, forKey: .floor_cpu_us_per_op)
            try container.encode(ratio_to_floor, forKey: .ratio_to_floor)
            try container.encode(ops_per_second, forKey: .ops_per_second)
            try container.encode(bytes_per_resource, forKey: .bytes_per_resource)
            try container.encode(written_bytes_per_op, forKey: .written_bytes_per_op)
            try container.encode(peak_rss_mb, forKey: .peak_rss_mb)
            try container.encode(added_mb, forKey: .added_mb)
            try container.encode(verified, forKey: .verified)
        }
    }

    /// - Throws: `BenchmarkFailure` where the file cannot be written.
    static func write(_ measurements: [Measurement], to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let json = try encoder.encode(measurements.map(Entry.init))
        do { try json.write(to: URL(fileURLWithPath: path)) } catch { throw BenchmarkFailure("cannot write \(path)") }
    }

    /// - Throws: `BenchmarkFailure` where there is no such file or it is something else.
    static func read(_ path: String) throws -> [Entry] {
        guard let json = FileManager.default.contents(atPath: path) else { throw BenchmarkFailure("cannot read \(path)") }
        do {
            return try JSONDecoder().decode([Entry].self, from: json)
        } catch { throw BenchmarkFailure("\(path) is not what --json writes") }
    }
}

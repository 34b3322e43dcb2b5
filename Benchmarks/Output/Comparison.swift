/// What has changed since earlier measurements.
struct Comparison {
    /// What differs less than this part may be chance: the same program differs so much from run to run.
    private static let noise = 0.1

    /// A workload at a size that both have.
    private struct Line {
        let old: JSONResults.Entry
        let new: JSONResults.Entry
        /// What the measurements of the new run differ from one another.
        let spread: Double

        /// By what part the new cost is more than the old. Ratios to the floor are compared where there are any: the floor was measured on
        /// the same machine in the same minute, so that a machine that is busier makes no difference.
        var change: Double? {
            guard let before = old.ratio_to_floor ?? old.cpu, let now = old.ratio_to_floor == nil ? new.cpu : new.ratio_to_floor else {
                return nil
            }
            return before > 0 ? now / before - 1 : nil
        }

        var isSlower: Bool { change.map { $0 > max(noise, spread) } ?? false }
        var isFaster: Bool { change.map { $0 < -max(noise, spread) } ?? false }
        /// Whether the file has grown: that is no matter of chance.
        var isLarger: Bool { relativeChange(old.bytes_per_resource, new.bytes_per_resource).map { $0 > 0.01 } ?? false }
    }

    private let lines: [Line]
    /// What was measured before and was not now.
    private let missing: Int

    init(old: [JSONResults.Entry], new: [Measurement]) {
        lines = new.compactMap { measurement in
            let entry = JSONResults.Entry(measurement)
            guard let before = old.first(where: { entry.isComparable(with: $0) }) else { return nil }
            let spread = measurement.ratioSpread.map { ($0.upperBound - $0.lowerBound) / max(measurement.ratio ?? 1, 1e-9) / 2 }
            return Line(old: before, new: entry, spread: spread ?? 0)
        }
        missing = old.count - lines.count
    }

    var hasSlower: Bool { lines.contains { $0.isSlower || $0.isLarger } }

    /// A table of what both have, and below it what is slower.
    var text: String {
        guard !lines.isEmpty else { return "nothing to compare: no workload and size is in both" }
        let header = [
            "workload", "data", "size", "CPU µs/op before", "now", "change", "ratio before", "now", "change", "B/resource", "now", "",
        ]
        let rows = lines.map { line in
            [
                line.new.name, line.new.data?.rawValue ?? "", Figures.grouped(line.new.size), Figures.text(line.old.cpu),
                Figures.text(line.new.cpu),
                Self.percent(line.old.cpu, line.new.cpu), Figures.ratio(line.old.ratio_to_floor), Figures.ratio(line.new.ratio_to_floor),
                Self.percent(line.old.ratio_to_floor, line.new.ratio_to_floor), Figures.text(line.old.bytes_per_resource),
                Figures.text(line.new.bytes_per_resource),
                line.isSlower ? "SLOWER" : line.isLarger ? "LARGER" : line.isFaster ? "faster" : "",
            ]
        }
        return ResultTable.text([header] + rows) + "\n\n" + summary
    }

    private var summary: String {
        let noted = lines.filter { $0.isSlower || $0.isLarger }.map { line in
            let what =
                line.isSlower
                ? "\(Self.text(line.change)) time" : "\(Self.percent(line.old.bytes_per_resource, line.new.bytes_per_resource)) bytes"
            return "  \(line.new.name), \(line.new.data?.rawValue ?? ""), \(Figures.grouped(line.new.size)): \(what)"
        }
        var parts = [
            noted.isEmpty
                ? "Nothing is slower by more than noise, which is \(Int(Self.noise * 100)) % or what this run's repetitions differ by."
                : "Slower or larger by more than noise, by the ratio to the floor where there is one:\n" + noted.joined(separator: "\n")
        ]
        if missing > 0 { parts.append("\(missing) of the earlier measurements were not made this time.") }
        return parts.joined(separator: "\n")
    }

    private static func relativeChange(_ before: Double?, _ now: Double?) -> Double? {
        guard let before, let now, before > 0 else { return nil }
        return now / before - 1
    }

    private static func percent(_ before: Double?, _ now: Double?) -> String { text(relativeChange(before, now)) }

    private static func text(_ change: Double?) -> String {
        guard let change else { return "–" }
        let percent = Int((change * 100).rounded())
        return percent > 0 ? "+\(percent) %" : "\(percent) %"
    }
}

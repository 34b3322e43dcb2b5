/// What has changed since earlier measurements.
enum Comparison {
    /// A table of what both have. Ratios to the floor tell more than times: the floor was measured on the same machine in the same minute.
    static func text(old: [JSONResults.Entry], new: [JSONResults.Entry]) -> String {
        var rows = [["workload", "size", "CPU µs/op before", "now", "change", "ratio before", "now", "change"]]
        for entry in new {
            guard let before = old.first(where: { $0.name == entry.name && $0.size == entry.size }) else { continue }
            rows.append([
                entry.name, Figures.grouped(entry.size), Figures.text(before.cpu_us_per_op), Figures.text(entry.cpu_us_per_op),
                change(before.cpu_us_per_op, entry.cpu_us_per_op), Figures.ratio(before.ratio_to_floor),
                Figures.ratio(entry.ratio_to_floor),
                change(before.ratio_to_floor, entry.ratio_to_floor),
            ])
        }
        return rows.count > 1 ? ResultTable.text(rows) : "nothing to compare: no workload and size is in both"
    }

    private static func change(_ before: Double?, _ now: Double?) -> String {
        guard let before, let now, before > 0 else { return "–" }
        let percent = Int(((now / before - 1) * 100).rounded())
        return percent > 0 ? "+\(percent) %" : "\(percent) %"
    }
}

/// A bar for each workload: how many times the floor's processor time it takes.
struct RatioChart {
    private let bars: [(name: String, ratio: Double)]

    init(_ measurements: [Measurement]) {
        bars = measurements.compactMap { measurement in measurement.ratio.map { (measurement.name, $0) } }
    }

    func svg() -> String {
        let (left, top, step, width) = (270.0, 40.0, 24.0, 760.0)
        let bottom = top + step * Double(bars.count)
        let most = min(max(bars.map(\.ratio).max() ?? 1, 2), 8)
        let scale = (width - left - 70) / most
        var parts = [SVG.text("CPU time as a multiple of SQLite's C API with the same rows (shorter is better)", 10, 20)]
        for (index, bar) in bars.enumerated() {
            let y = top + step * Double(index)
            let length = min(bar.ratio, most) * scale
            parts.append(SVG.text(bar.name, left - 8, y + 15, anchor: "end"))
            parts.append(SVG.rectangle(left, y + 3, length, step - 7, SVG.blue))
            parts.append(SVG.text(Figures.ratio(bar.ratio), left + length + 6, y + 15))
        }
        parts.append(SVG.line([(left + scale, top - 4), (left + scale, bottom)], SVG.grey, dashes: "4 3"))
        parts.append(SVG.text("floor", left + scale, bottom + 16, anchor: "middle", color: SVG.grey))
        return SVG.document(width: Int(width), height: Int(bottom + 28), parts)
    }
}

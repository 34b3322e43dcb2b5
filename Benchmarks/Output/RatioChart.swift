/// A bar for each workload: how many times the floor's processor time it takes.
struct RatioChart {
    private let bars: [(name: String, ratio: Double)]

    init(_ measurements: [Measurement]) {
        bars = measurements.compactMap { measurement in
            let name = measurement.name + (measurement.kind == .claims ? ", claims" : "")
            return measurement.ratio.map { (name, $0) }
        }
    }

    func svg() -> String {
        let (left, top, step, width) = (290.0, 40.0, 24.0, 780.0)
        let bottom = top + step * Double(bars.count)
        // A bar that is longer than all but a few would leave no room for the others: it is cut, and its number says so.
        let most = min(max(bars.map(\.ratio).max() ?? 1, 2), 8)
        let scale = (width - left - 80) / most
        var parts: [String] = []
        for mark in 2...Int(most.rounded(.up)) where Double(mark) <= most {
            let x = left + Double(mark) * scale
            parts.append(SVG.line([(x, top - 4), (x, bottom)], SVG.grid))
            parts.append(SVG.text("\(mark) ×", x, bottom + 16, anchor: "middle", color: SVG.weak))
        }
        for (index, bar) in bars.enumerated() {
            let y = top + step * Double(index)
            let length = min(bar.ratio, most) * scale
            parts.append(SVG.text(bar.name, left - 8, y + 16, anchor: "end"))
            parts.append(SVG.rectangle(left, y + 3, length, step - 7, SVG.colors[0]))
            parts.append(SVG.text(Figures.ratio(bar.ratio) + (bar.ratio > most ? " →" : ""), left + length + 6, y + 16))
        }
        parts.append(SVG.line([(left + scale, top - 4), (left + scale, bottom)], SVG.colors[1], dashes: "4 3"))
        parts.append(SVG.text("floor", left + scale, bottom + 16, anchor: "middle", color: SVG.weak))
        let title = "Processor time as a multiple of SQLite's C API with the same rows (shorter is better)"
        return SVG.document(width: Int(width), height: Int(bottom + 28), title: title, parts)
    }
}

import Foundation

/// A line for each workload: the cost of one operation against the size of the store, both on logarithmic scales.
struct SizeChart {
    private struct Line {
        let name: String
        let points: [(size: Double, cost: Double)]
    }

    private let lines: [Line]

    init(_ measurements: [Measurement], names: [String]) {
        var lines: [Line] = []
        for name in names {
            let points = measurements.filter { $0.name == name }.map { (size: Double($0.size), cost: $0.cpu) }.sorted { $0.size < $1.size }
            if points.count > 1 { lines.append(Line(name: name, points: points)) }
        }
        self.lines = lines
    }

    var isEmpty: Bool { lines.isEmpty }

    func svg() -> String {
        let (left, top, width, height) = (70.0, 40.0, 460.0, 280.0)
        let all = lines.flatMap(\.points)
        let sizes = Self.decades(all.map(\.size))
        let costs = Self.decades(all.map(\.cost))
        func x(_ size: Double) -> Double { left + width * (log10(size) - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound) }
        func y(_ cost: Double) -> Double { top + height * (1 - (log10(cost) - costs.lowerBound) / (costs.upperBound - costs.lowerBound)) }
        var parts: [String] = []
        for power in Int(sizes.lowerBound)...Int(sizes.upperBound) {
            let size = pow(10, Double(power))
            parts.append(SVG.line([(x(size), top), (x(size), top + height)], SVG.grid))
            parts.append(SVG.text(Figures.grouped(Int(size)), x(size), top + height + 18, anchor: "middle"))
        }
        for power in Int(costs.lowerBound)...Int(costs.upperBound) {
            let cost = pow(10, Double(power))
            parts.append(SVG.line([(left, y(cost)), (left + width, y(cost))], SVG.grid))
            parts.append(SVG.text(Figures.short(cost) + " µs", left - 8, y(cost) + 4, anchor: "end"))
        }
        for (index, line) in lines.enumerated() {
            let color = SVG.colors[index % SVG.colors.count]
            parts.append(SVG.line(line.points.map { (x($0.size), y($0.cost)) }, color))
            parts += line.points.map { SVG.dot(x($0.size), y($0.cost), color) }
            parts.append(SVG.rectangle(left + width + 20, top + 22 * Double(index), 12, 12, color))
            parts.append(SVG.text(line.name, left + width + 38, top + 22 * Double(index) + 11))
        }
        parts.append(SVG.text("resources in the store", left + width / 2, top + height + 36, anchor: "middle", color: SVG.weak))
        let title = "Processor time of one operation against the resources in the store"
        return SVG.document(width: 800, height: Int(top + height + 48), title: title, parts)
    }

    /// The whole powers of ten around the values.
    private static func decades(_ values: [Double]) -> ClosedRange<Double> {
        let logarithms = values.map { log10(max($0, 1e-3)) }
        let low = (logarithms.min() ?? 0).rounded(.down)
        return low...max((logarithms.max() ?? 1).rounded(.up), low + 1)
    }
}

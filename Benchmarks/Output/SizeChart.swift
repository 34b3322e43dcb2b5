import Foundation

/// A line for each workload: the cost of one operation against the size of the store, both on logarithmic scales.
struct SizeChart {
    private struct Line {
        let name: String
        let points: [(size: Double, cost: Double)]
    }

    private let lines: [Line]
    private static let colors = ["#3b6ea8", "#c0504d", "#5f9e4a", "#8064a2", "#d08b2c", "#3a9aa8"]

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
        let (left, top, width, height) = (70.0, 40.0, 460.0, 260.0)
        let all = lines.flatMap(\.points)
        let sizes = Self.decades(all.map(\.size))
        let costs = Self.decades(all.map(\.cost))
        func x(_ size: Double) -> Double { left + width * (log10(size) - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound) }
        func y(_ cost: Double) -> Double { top + height * (1 - (log10(cost) - costs.lowerBound) / (costs.upperBound - costs.lowerBound)) }
        var parts = [SVG.text("CPU µs for one operation against the resources in the store", 10, 20)]
        for power in Int(sizes.lowerBound)...Int(sizes.upperBound) {
            let size = pow(10, Double(power))
            parts.append(SVG.line([(x(size), top), (x(size), top + height)], "#dddddd"))
            parts.append(SVG.text(Figures.grouped(Int(size)), x(size), top + height + 18, anchor: "middle"))
        }
        for power in Int(costs.lowerBound)...Int(costs.upperBound) {
            let cost = pow(10, Double(power))
            parts.append(SVG.line([(left, y(cost)), (left + width, y(cost))], "#dddddd"))
            parts.append(SVG.text(Figures.text(cost), left - 8, y(cost) + 4, anchor: "end"))
        }
        for (index, line) in lines.enumerated() {
            let color = Self.colors[index % Self.colors.count]
            parts.append(SVG.line(line.points.map { (x($0.size), y($0.cost)) }, color))
            parts += line.points.map { SVG.dot(x($0.size), y($0.cost), color) }
            parts.append(SVG.rectangle(left + width + 20, top + 22 * Double(index), 12, 12, color))
            parts.append(SVG.text(line.name, left + width + 38, top + 22 * Double(index) + 11))
        }
        return SVG.document(width: 790, height: Int(top + height + 34), parts)
    }

    /// The whole powers of ten around the values.
    private static func decades(_ values: [Double]) -> ClosedRange<Double> {
        let logarithms = values.map { log10(max($0, 1e-3)) }
        let low = (logarithms.min() ?? 0).rounded(.down)
        return low...max((logarithms.max() ?? 1).rounded(.up), low + 1)
    }
}

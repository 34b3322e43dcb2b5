/// The parts of a drawing, as text of SVG.
enum SVG {
    static let blue = "#3b6ea8"
    static let grey = "#8a8f98"

    static func document(width: Int, height: Int, _ parts: [String]) -> String {
        let style = "font: 12px system-ui, sans-serif; background: #ffffff"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" style="\(style)">
            <rect width="\(width)" height="\(height)" fill="#ffffff"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    static func text(_ text: String, _ x: Double, _ y: Double, anchor: String = "start", color: String = "#222222") -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" fill=\"\(color)\">\(escaped)</text>"
    }

    static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\" fill=\"\(color)\"/>"
    }

    static func line(_ points: [(x: Double, y: Double)], _ color: String, dashes: String = "none") -> String {
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        return "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\" stroke-dasharray=\"\(dashes)\"/>"
    }

    static func dot(_ x: Double, _ y: Double, _ color: String) -> String {
        "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"3\" fill=\"\(color)\"/>"
    }

    private static func number(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

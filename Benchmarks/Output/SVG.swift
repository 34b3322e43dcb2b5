/// The parts of a drawing, as text of SVG. Colors are names of classes, so that a drawing suits a light page and a dark one.
enum SVG {
    /// Colors for lines and bars, which stand out from both backgrounds.
    static let colors = ["c0", "c1", "c2", "c3", "c4", "c5"]
    static let weak = "weak"
    static let grid = "grid"

    private static let style = """
        <style>
        svg { font: 12px system-ui, "Liberation Sans", sans-serif; color-scheme: light dark }
        .paper { fill: #ffffff } .text { fill: #222222 } .weak { fill: #6a6f78; stroke: #6a6f78 } .grid { stroke: #dddddd }
        text { stroke: none !important }
        .c0 { fill: #3b6ea8; stroke: #3b6ea8 } .c1 { fill: #c0504d; stroke: #c0504d } .c2 { fill: #4c8f3a; stroke: #4c8f3a }
        .c3 { fill: #8064a2; stroke: #8064a2 } .c4 { fill: #d08b2c; stroke: #d08b2c } .c5 { fill: #3a9aa8; stroke: #3a9aa8 }
        @media (prefers-color-scheme: dark) {
        .paper { fill: #15181d } .text { fill: #e4e6ea } .weak { fill: #a0a6b0; stroke: #a0a6b0 } .grid { stroke: #3a3f47 }
        .c0 { fill: #6ea3e0; stroke: #6ea3e0 } .c3 { fill: #a88bd0; stroke: #a88bd0 }
        }
        polyline { fill: none !important }
        </style>
        """

    static func document(width: Int, height: Int, title: String, _ parts: [String]) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" role="img">
        <title>\(escaped(title))</title>
        \(style)
        <rect class="paper" width="\(width)" height="\(height)"/>
        \(([text(title, 10, 20)] + parts).joined(separator: "\n"))
        </svg>

        """
    }

    static func text(_ text: String, _ x: Double, _ y: Double, anchor: String = "start", color: String = "text") -> String {
        "<text class=\"\(color)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped(text))</text>"
    }

    static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String) -> String {
        "<rect class=\"\(color)\" stroke-width=\"0\" x=\"\(number(x))\" y=\"\(number(y))\" "
            + "width=\"\(number(width))\" height=\"\(number(height))\"/>"
    }

    static func line(_ points: [(x: Double, y: Double)], _ color: String, dashes: String = "none") -> String {
        let list = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        return "<polyline class=\"\(color)\" points=\"\(list)\" stroke-width=\"1.5\" stroke-dasharray=\"\(dashes)\"/>"
    }

    static func dot(_ x: Double, _ y: Double, _ color: String) -> String {
        "<circle class=\"\(color)\" cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"3\"/>"
    }

    private static func escaped(_ text: String) -> String { text.replacing("&", with: "&amp;").replacing("<", with: "&lt;") }

    private static func number(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

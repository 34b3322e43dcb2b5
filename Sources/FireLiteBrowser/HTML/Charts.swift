import Foundation

/// A scale from moments to places of a drawing.
struct TimeScale {
    let start: Date
    let end: Date
    let left: Double
    let right: Double

    func place(_ date: Date) -> Double {
        let span = end.timeIntervalSince(start)
        guard span > 0 else { return (left + right) / 2 }
        return left + (right - left) * min(max(date.timeIntervalSince(start) / span, 0), 1)
    }

    func contains(_ date: Date) -> Bool { date >= start && date <= end }

    /// Round moments with their names: years, months or days, so that there are at most nine.
    var ticks: [(date: Date, text: String)] {
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let days = end.timeIntervalSince(start) / 86_400
        let (unit, step): (Foundation.Calendar.Component, Int) =
            switch days {
            case ..<10: (.day, 1)
            case ..<45: (.day, 5)
            case ..<240: (.month, 1)
            case ..<760: (.month, 3)
            case ..<3_300: (.year, 1)
            case ..<16_000: (.year, 5)
            default: (.year, 20)
            }
        var parts = calendar.dateComponents([.year, .month, .day], from: start)
        if unit != .day { parts.day = 1 }
        if unit == .year {
            parts.month = 1
            parts.year = (parts.year ?? 0) / step * step
        }
        guard var date = calendar.date(from: parts) else { return [] }
        var ticks: [(date: Date, text: String)] = []
        while date <= end, ticks.count < 40 {
            let text = date.formatted(Date.ISO8601FormatStyle(timeZone: .gmt)).prefix(unit == .year ? 4 : unit == .month ? 7 : 10)
            if date >= start { ticks.append((date, String(text))) }
            guard let next = calendar.date(byAdding: unit, value: step, to: date) else { break }
            date = next
        }
        return ticks
    }
}

/// Drawings made on the server.
enum Charts {
    /// A coordinate with one decimal.
    static func point(_ value: Double) -> String { String(format: "%.1f", value) }

    /// A series as a line with its points, and the reference range as a band.
    static func line(_ series: NumericSeries, _ range: (start: Date, end: Date)) -> HTML {
        let (width, height, left, right, top, bottom) = (420.0, 170.0, 44.0, 410.0, 12.0, 142.0)
        let values = series.points.map(\.value)
        var lowest = min(values.min() ?? 0, series.low ?? .infinity)
        var highest = max(values.max() ?? 0, series.high ?? -.infinity)
        if lowest == highest { (lowest, highest) = (lowest - 1, highest + 1) }
        let pad = (highest - lowest) * 0.08
        (lowest, highest) = (lowest - pad, highest + pad)
        func y(_ value: Double) -> Double { bottom - (bottom - top) * (value - lowest) / (highest - lowest) }
        let scale = TimeScale(start: range.start, end: range.end, left: left, right: right)
        var band = HTML()
        if series.low != nil || series.high != nil {
            let (upper, lower) = (y(min(series.high ?? highest, highest)), y(max(series.low ?? lowest, lowest)))
            band = """
                <rect class="band" x="\(point(left))" y="\(point(upper))" width="\(point(right - left))" height="\(point(max(lower - upper, 1)))"/>
                """
        }
        let shown = series.points.suffix(400)
        let path = shown.enumerated().map { index, one in "\(index == 0 ? "M" : "L")\(point(scale.place(one.date))) \(point(y(one.value)))"
        }
        .joined(separator: " ")
        let dots = shown.map { one -> HTML in
            let kind = one.isOutside ? "dot out" : "dot"
            let text = "\(day(one.date)): \(one.literal) \(series.unit)\(one.isOutside ? ", outside of the reference range" : "")"
            return """
                <circle class="\(kind)" cx="\(point(scale.place(one.date)))" cy="\(point(y(one.value)))" r="\(one.isOutside ? "4" : "3")"><title>\(text)</title></circle>
                """
        }
        let marks = [lowest + pad, highest - pad].map { value -> HTML in
            """
            <line class="grid-line" x1="\(point(left))" x2="\(point(right))" y1="\(point(y(value)))" y2="\(point(y(value)))"/>\
            <text x="\(point(left - 6))" y="\(point(y(value) + 4))" text-anchor="end">\(short(value))</text>
            """
        }
        let label =
            "\(series.title), \(series.points.count) values from \(day(series.points.first?.date ?? range.start)) to \(day(series.points.last?.date ?? range.end))"
        return """
            <svg class="figure" viewBox="0 0 \(Int(width)) \(Int(height))" role="img" aria-label="\(Numbers.clipped(label, 200))">\(band)\(marks)\
            <path class="line" d="\(path)"/>\(dots)<text x="\(point(left))" y="162">\(day(range.start))</text>\
            <text x="\(point(right))" y="162" text-anchor="end">\(day(range.end))</text></svg>
            """
    }

    static func day(_ date: Date) -> String { String(Numbers.time(date).prefix(10)) }

    /// A number with at most three decimals.
    static func short(_ value: Double) -> String {
        if abs(value) >= 1e7 || abs(value) < 0.001 && value != 0 { return String(format: "%.2g", value) }
        let text = String(format: abs(value) >= 100 ? "%.0f" : abs(value) >= 10 ? "%.1f" : "%.2f", value)
        return text.contains(".") ? String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()) : text
    }
}

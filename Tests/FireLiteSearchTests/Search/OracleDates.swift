import Foundation

/// The rules for dates of the test's own evaluation, in UTC.
enum OracleDates {
    /// An interval of seconds since 1970.
    private typealias Span = (start: Double, end: Double)

    static func isMatch(_ value: SearchOracle.Value, _ wanted: String) -> Bool {
        let known = ["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb"]
        let prefix = known.contains(String(wanted.prefix(2))) ? String(wanted.prefix(2)) : "eq"
        let literal = known.contains(String(wanted.prefix(2))) ? String(wanted.dropFirst(2)) : wanted
        guard let target = span(literal) else { return false }
        return spans(value).contains { own in
            let isWithin = own.start >= target.start && own.end <= target.end
            switch prefix {
            case "ne": return !isWithin
            case "gt": return own.end > target.end
            case "lt": return own.start < target.start
            case "ge": return own.end > target.end || isWithin
            case "le": return own.start < target.start || isWithin
            case "sa": return own.start >= target.end
            case "eb": return own.end <= target.start
            default: return isWithin
            }
        }
    }

    private static func spans(_ value: SearchOracle.Value) -> [Span] {
        switch value {
        case .primitive(_, let text): return [span(text)].compactMap { $0 }
        case .object("Period", let json): return [period(json)].compactMap { $0 }
        case .object("Timing", let json):
            let events = (json["event"] as? [String] ?? []).compactMap(span)
            let bounds = (json["repeat"] as? [String: Any])?["boundsPeriod"] as? [String: Any]
            // What lies between is not looked at.
            let all = events + [bounds.flatMap(period)].compactMap { $0 }
            guard let start = all.map(\.start).min(), let end = all.map(\.end).max() else { return [] }
            return [(start, end)]
        default: return []
        }
    }

    private static func period(_ json: [String: Any]) -> Span? {
        let (start, end) = ((json["start"] as? String).flatMap(span), (json["end"] as? String).flatMap(span))
        if start == nil, end == nil { return nil }
        return (start?.start ?? -.infinity, end?.end ?? .infinity)
    }

    private static func span(_ text: String) -> Span? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let halves = text.split(separator: "T", maxSplits: 1).map(String.init)
        let numbers = halves[0].split(separator: "-").compactMap { Int($0) }
        guard let year = numbers.first else { return nil }
        var parts = DateComponents(year: year, month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1)
        guard halves.count > 1 else {
            guard let start = calendar.date(from: parts) else { return nil }
            let unit: Calendar.Component = numbers.count > 2 ? .day : numbers.count > 1 ? .month : .year
            guard let end = calendar.date(byAdding: unit, value: 1, to: start) else { return nil }
            return (start.timeIntervalSince1970, end.timeIntervalSince1970)
        }
        var clock = halves[1]
        var offset = 0
        if clock.hasSuffix("Z") {
            clock.removeLast()
        } else if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let zone = clock[clock.index(after: sign)...].split(separator: ":").compactMap { Int($0) }
            offset = (zone[0] * 60 + zone[1]) * (clock[sign] == "-" ? -60 : 60)
            clock = String(clock[..<sign])
        }
        let pieces = clock.split(separator: ":")
        parts.hour = Int(pieces[0])
        parts.minute = Int(pieces[1])
        let seconds = pieces.count > 2 ? Double(pieces[2]) ?? 0 : 0
        guard let date = calendar.date(from: parts) else { return nil }
        let start = date.timeIntervalSince1970 + seconds - Double(offset)
        let digits = pieces.count > 2 && pieces[2].contains(".") ? pieces[2].split(separator: ".")[1].count : 0
        return (start, start + (pieces.count > 2 ? pow(10, -Double(digits)) : 60))
    }
}

import FireLiteCore

/// The interval that a date or time literal names, in the form in which tables keep dates: UTC text without a zone.
///
/// `2020-06` names June 2020: `[2020-06, 2020-07)`. A literal without a zone is read as UTC. The text of a stored date is never greater
/// than the text of a later one, and of the texts with the same start the shortest is the least. So a comparison with the shortest text
/// of a bound is a comparison of moments.
package struct DateBounds: Sendable, Hashable {
    /// The literal in UTC, without its zone.
    package let text: String
    /// The shortest text that starts with the interval.
    package let lower: String
    /// The shortest text that starts at the end of the interval.
    package let upper: String

    /// A bound after every date and time.
    package static let beyond = ":"

    /// An interval of UTC texts; the shortest for both bounds.
    package init(text: String, lower: String, upper: String) { (self.text, self.lower, self.upper) = (text, lower, upper) }

    /// The interval of a `date`, `dateTime`, `instant` or `time` literal; nil for other text.
    package init?(_ literal: String) {
        guard let utc = ValueCodec.operand(ofTemporal: literal), let fields = Fields(utc) else { return nil }
        text = utc
        lower = fields.shortest
        upper = fields.end.shortest
    }

    /// The texts of less precise dates whose intervals contain the moment `bound` but begin before it.
    static func wider(than bound: String) -> [String] {
        let length = bound.utf8.count
        let isTime = bound.utf8.dropFirst(2).first == UInt8(ascii: ":")
        var lengths = isTime ? [8] : [4, 7, 10, 19]
        let whole = isTime ? 8 : 19
        if length > whole + 2 { lengths += (whole + 2)..<length }
        return lengths.filter { $0 < length }.map { String(bound.prefix($0)) }
    }
}

/// The parts of a date or time in UTC.
private struct Fields {
    var year: Int?
    var month: Int?
    var day: Int?
    var time: (hour: Int, minute: Int, second: Int)?
    var fraction = ""

    init?(_ utc: String) {
        let halves = utc.split(separator: "T", maxSplits: 1).map(String.init)
        guard let first = halves.first else { return nil }
        let clock: String?
        if first.contains(":") {
            clock = first
        } else {
            let parts = first.split(separator: "-").map { Int($0) }
            guard (1...3).contains(parts.count), parts.allSatisfy({ $0 != nil }) else { return nil }
            year = parts[0]
            if parts.count > 1 { month = parts[1] }
            if parts.count > 2 { day = parts[2] }
            clock = halves.count > 1 ? halves[1] : nil
        }
        guard let clock else { return }
        let pieces = clock.split(separator: ".", maxSplits: 1)
        let numbers = pieces[0].split(separator: ":").compactMap { Int($0.prefix { $0.isNumber }) }
        guard numbers.count >= 3 else { return nil }
        time = (numbers[0], numbers[1], numbers[2])
        if pieces.count > 1 { fraction = String(pieces[1].prefix { $0.isNumber }) }
    }

    var shortest: String {
        if let year, year > 9_999 { return DateBounds.beyond }
        var fraction = fraction
        while fraction.last == "0" { fraction.removeLast() }
        var clock: String?
        if let time {
            clock = "\(Self.pad(time.hour)):\(Self.pad(time.minute)):\(Self.pad(time.second))\(fraction.isEmpty ? "" : ".")\(fraction)"
        }
        guard let year else { return clock ?? DateBounds.beyond }
        if clock == "00:00:00" { clock = nil }
        var text = Self.pad(year, 4)
        let isFirstDay = (day ?? 1) == 1 && clock == nil
        if isFirstDay, (month ?? 1) == 1 { return text }
        text += "-" + Self.pad(month ?? 1)
        if isFirstDay { return text }
        text += "-" + Self.pad(day ?? 1)
        if let clock { text += "T" + clock }
        return text
    }

    /// The end of the interval. A minute may have a second 60, so second 59 ends there.
    var end: Fields {
        var next = self
        guard var time else {
            if let day, let month, let year {
                next.day = day + 1
                if day + 1 > Calendar.days(inMonth: month, of: year) { next.addMonth() }
            } else if month != nil {
                next.addMonth()
            } else {
                next.year = (year ?? 0) + 1
            }
            return next
        }
        if !fraction.isEmpty {
            var digits = Array(fraction.utf8)
            var index = digits.count - 1
            while index >= 0, digits[index] == UInt8(ascii: "9") {
                digits[index] = UInt8(ascii: "0")
                index -= 1
            }
            if index >= 0 {
                digits[index] += 1
                next.fraction = String(decoding: digits, as: UTF8.self)
                return next
            }
            next.fraction = ""
        }
        time.second += 1
        if time.second > 60 {
            time.second = 0
            time.minute += 1
        }
        if time.minute > 59 {
            time.minute = 0
            time.hour += 1
        }
        if time.hour > 23, let day, let month, let year {
            time.hour = 0
            next.day = day + 1
            if day + 1 > Calendar.days(inMonth: month, of: year) { next.addMonth() }
        }
        next.time = time
        return next
    }

    private mutating func addMonth() {
        if day != nil { day = 1 }
        month = (month ?? 1) + 1
        if month ?? 1 > 12 {
            month = 1
            year = (year ?? 0) + 1
        }
    }

    private static func pad(_ number: Int, _ width: Int = 2) -> String { String(number).leftPadded(width) }
}

import FireLiteCore

@testable import FireLite

/// The interval that a date or time literal names, as the fields of its first moment and of the first moment after it, in UTC.
struct Interval {
    /// The fields that the literal has, in UTC: year, month, day, hour, minute, second; or hour, minute, second.
    private(set) var fields: [Int]
    /// The digits after the point.
    private(set) var fraction = ""
    let start: [Int]
    let end: [Int]

    init?(_ literal: String) {
        var text = literal
        var shift = 0
        if text.hasSuffix("Z") {
            text.removeLast()
        } else if text.contains("T"), let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }), sign > text.firstIndex(of: "T")! {
            let parts = text[text.index(after: sign)...].split(separator: ":").compactMap { Int($0) }
            shift = (parts[0] * 60 + parts[1]) * (text[sign] == "-" ? 1 : -1)
            text = String(text[..<sign])
        }
        if let point = text.firstIndex(of: ".") {
            fraction = String(text[text.index(after: point)...])
            text = String(text[..<point])
        }
        fields = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard !fields.isEmpty else { return nil }
        let isTime = literal.dropFirst(2).first == ":"
        if shift != 0 { Self.move(&fields, minutes: shift) }
        var first = isTime ? [0, 1, 1] + fields : fields
        let precision = first.count
        while first.count < 6 { first.append(first.count < 3 ? 1 : 0) }
        var last = first
        let nanos = Int(fraction.padding(9)) ?? 0
        first.append(nanos)
        last.append(nanos)
        switch precision {
        case 1: last[0] += 1
        case 2: last[1] += 1
        case 3: last[2] += 1
        default:
            if fraction.isEmpty { last[5] += 1 } else { last[6] += Int(("1" + String(repeating: "0", count: 9 - min(fraction.count, 9))))! }
        }
        Self.carry(&last, isTime: isTime)
        start = first
        end = last
    }

    /// A minute has seconds 0 to 60.
    private static func carry(_ moment: inout [Int], isTime: Bool) {
        if moment[6] >= 1_000_000_000 { (moment[6], moment[5]) = (0, moment[5] + 1) }
        if moment[5] > 60 { (moment[5], moment[4]) = (0, moment[4] + 1) }
        if moment[4] > 59 { (moment[4], moment[3]) = (0, moment[3] + 1) }
        if moment[3] > 23, !isTime { (moment[3], moment[2]) = (0, moment[2] + 1) }
        if moment[1] <= 12, moment[2] > days(moment[1], moment[0]) { (moment[2], moment[1]) = (1, moment[1] + 1) }
        if moment[1] > 12 { (moment[1], moment[0]) = (1, moment[0] + 1) }
    }

    private static func days(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func move(_ fields: inout [Int], minutes: Int) {
        var total = fields[3] * 60 + fields[4] + minutes
        while total < 0 {
            total += 1_440
            fields[2] -= 1
            if fields[2] == 0 {
                fields[1] -= 1
                if fields[1] == 0 { (fields[1], fields[0]) = (12, fields[0] - 1) }
                fields[2] = days(fields[1], fields[0])
            }
        }
        while total >= 1_440 {
            total -= 1_440
            fields[2] += 1
            if fields[2] > days(fields[1], fields[0]) {
                fields[2] = 1
                fields[1] += 1
                if fields[1] > 12 { (fields[1], fields[0]) = (1, fields[0] + 1) }
            }
        }
        (fields[3], fields[4]) = (total / 60, total % 60)
    }

    private static func precedes(_ left: [Int], _ right: [Int]) -> Bool { left.lexicographicallyPrecedes(right) }

    func lies(_ comparison: Comparison, _ other: Interval) -> Bool {
        switch comparison {
        case .equal: !Self.precedes(start, other.start) && !Self.precedes(other.end, end)
        case .less: !Self.precedes(other.start, end)
        case .lessOrEqual: !Self.precedes(other.end, end)
        case .greater: !Self.precedes(start, other.end)
        case .greaterOrEqual: !Self.precedes(start, other.start)
        }
    }

    func overlaps(_ comparison: Comparison, _ other: Interval) -> Bool {
        switch comparison {
        case .equal: Self.precedes(start, other.end) && Self.precedes(other.start, end)
        case .less: Self.precedes(start, other.start)
        case .lessOrEqual: Self.precedes(start, other.end)
        case .greater: Self.precedes(other.end, end)
        case .greaterOrEqual: Self.precedes(other.start, end)
        }
    }
}

extension String {
    fileprivate func padding(_ count: Int) -> String { String((self + String(repeating: "0", count: count)).prefix(count)) }
}

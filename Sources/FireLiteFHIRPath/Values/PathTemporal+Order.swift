import FireLiteCore

extension PathTemporal {
    /// How one value lies to another.
    enum Order {
        case before, same, after
    }

    /// The order of two values; nil if their precisions or zones leave it open.
    ///
    /// Parts are compared from the year down. The first that differ decide; if one value ends before that, nothing does. A value without a
    /// zone may be up to 14 hours earlier or later than it would be in UTC, so beside one with a zone it decides only from there on.
    func order(with other: PathTemporal) -> Order? {
        guard (kind == .time) == (other.kind == .time) else { return nil }
        // A date has no zone to be converted from: it is compared with the date as the other value is written.
        guard hasTime, other.hasTime else { return Self.compareParts(self, other) }
        switch (offset, other.offset) {
        case (nil, nil): return Self.compareParts(self, other)
        case (_?, _?): return Self.compareParts(inUTC, other.inUTC)
        default: return orderAcrossZones(other)
        }
    }

    /// Whether both are equal; nil if that is open. A date and a time are different.
    func isEqual(to other: PathTemporal) -> Bool? {
        guard (kind == .time) == (other.kind == .time) else { return false }
        return order(with: other).map { $0 == .same }
    }

    /// Whether both have the same precision and are equal.
    func isEquivalent(to other: PathTemporal) -> Bool {
        guard (kind == .time) == (other.kind == .time), precision == other.precision else { return false }
        return order(with: other) == .same
    }

    private static func compareParts(_ left: PathTemporal, _ right: PathTemporal) -> Order? {
        let (first, second) = (left.parts, right.parts)
        let start = left.kind == .time ? Precision.hour.rawValue : 0
        for place in start...min(left.precision, right.precision).rawValue where first[place] != second[place] {
            return first[place] < second[place] ? .before : .after
        }
        return left.precision == right.precision ? .same : nil
    }

    /// The parts by precision; seconds in nanoseconds.
    private var parts: [Int] { [year, month, day, hour, minute, second * 1_000_000_000 + nanosecond] }

    /// Numbers that equal values share.
    var equalityParts: [Int] { (hasTime && kind != .time ? inUTC : self).parts }

    private func orderAcrossZones(_ other: PathTemporal) -> Order? {
        let slack = TemporalWord.maximumZoneMinutes * 60
        let (mine, its) = (seconds, other.seconds)
        if mine.end + slack <= its.start { return .before }
        if its.end + slack <= mine.start { return .after }
        return nil
    }

    /// The seconds since 1970, in UTC if there is a zone, from which and to which the value lasts.
    private var seconds: (start: Int, end: Int) {
        let days = Calendar.daysSinceEpoch(year: year, month: month, day: day)
        let start = days * 86_400 + hour * 3_600 + minute * 60 + second - (offset ?? 0) * 60
        let length =
            switch precision {
            case .year: (Calendar.isLeap(year) ? 366 : 365) * 86_400
            case .month: Calendar.days(inMonth: month, of: year) * 86_400
            case .day: 86_400
            case .hour: 3_600
            case .minute: 60
            case .second: 1
            }
        return (start, start + length)
    }

    /// For a value with a time but no zone: the last second, in UTC and as FHIR writes it without a zone, that is before the value whatever its zone
    /// is, and the first that is after it.
    package var boundsInAnyZone: (last: String, first: String) {
        let slack = TemporalWord.maximumZoneMinutes * 60
        return (Self.text(ofSecond: seconds.start - slack - 1), Self.text(ofSecond: seconds.end + slack))
    }

    private static func text(ofSecond second: Int) -> String {
        let days = (second - ((second % 86_400) + 86_400) % 86_400) / 86_400
        var value = PathTemporal(kind: .dateTime, precision: .second)
        (value.year, value.month, value.day) = Calendar.date(daysSinceEpoch: days)
        let rest = second - days * 86_400
        (value.hour, value.minute, value.second) = (rest / 3_600, rest % 3_600 / 60, rest % 60)
        return value.text
    }

    /// The same moment in UTC, for a value with time and zone.
    package var inUTC: PathTemporal {
        guard let offset, offset != 0 else { return self }
        var value = self
        value.addMinutes(-offset)
        value.offset = 0
        // An offset of half an hour moves the minutes of a value that has none.
        return offset % 60 != 0 && precision == .hour ? value.withPrecision(.minute) : value
    }

    mutating func addMinutes(_ minutes: Int) {
        var total = hour * 60 + minute + minutes
        var days = 0
        while total < 0 {
            total += 1_440
            days -= 1
        }
        days += total / 1_440
        hour = total % 1_440 / 60
        minute = total % 60
        if kind != .time, days != 0 { addDays(days) }
    }

    mutating func addDays(_ days: Int) {
        (year, month, day) = Calendar.date(daysSinceEpoch: Calendar.daysSinceEpoch(year: year, month: month, day: day) + days)
    }
}

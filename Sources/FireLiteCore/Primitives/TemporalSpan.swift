/// The moments that the literal of a date or time stands for: one, or all of a year, month or day.
struct TemporalSpan {
    /// A moment, in UTC if its literal has an offset. Leap seconds have a place of their own, after second 59.
    struct Moment: Comparable {
        /// Minutes since 1970, or since midnight for a `time`. Whole ones, as all offsets are.
        var minute: Int
        var second = 0
        var nanosecond = 0
        /// Digits after the ninth of a fraction, without zeros at the end.
        var digits: [UInt8] = []

        static func < (left: Moment, right: Moment) -> Bool {
            let first = (left.minute, left.second, left.nanosecond)
            let second = (right.minute, right.second, right.nanosecond)
            return first == second ? left.digits.lexicographicallyPrecedes(right.digits) : first < second
        }

        func moved(minutes: Int) -> Moment {
            var moment = self
            moment.minute += minutes
            return moment
        }
    }

    let start: Moment
    /// The moment after the last one; nil for a single moment.
    let end: Moment?
    /// Whether the literal has an offset, so that it is the same everywhere.
    let hasZone: Bool

    /// How it lies to another one, of which both are `time`s or neither is.
    func order(with other: TemporalSpan) -> FHIRTemporalOrder? {
        // A literal without an offset may be 14 hours earlier or later than it would be in UTC.
        let slack = hasZone == other.hasZone ? 0 : TemporalWord.maximumZoneMinutes
        if isBefore(other, slack) { return .before }
        if other.isBefore(self, slack) { return .after }
        return slack == 0 && start == other.start && end == other.end ? .same : nil
    }

    private func isBefore(_ other: TemporalSpan, _ slack: Int) -> Bool {
        let earliest = other.start.moved(minutes: -slack)
        if let end { return end <= earliest }
        return start < earliest
    }
}

extension FHIRTemporal {
    /// The moments that the literal stands for; nil for text that lenient reading let through.
    var span: TemporalSpan? {
        switch _storage {
        case .word(let raw):
            let word = TemporalWord(raw: raw)
            var nanosecond = word.fraction
            for _ in word.fractionDigits..<9 { nanosecond *= 10 }
            return TemporalSpan(
                date: (word.year, word.month, word.day), time: word.hasTime ? (word.hour, word.minute, word.second) : nil,
                fraction: (nanosecond, []), zone: word.zone)
        case .text(var text):
            let isValid = text.withUTF8 { if case .text = TemporalWord.read($0, as: Self._type) { true } else { false } }
            guard isValid, let scanned, let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            var digits = Array(text.utf8[point...].dropFirst().prefix { (48...57).contains($0) }.dropFirst(9))
            while digits.last == UInt8(ascii: "0") { digits.removeLast() }
            return TemporalSpan(
                date: (scanned.year, scanned.month, scanned.day), time: (scanned.hour, scanned.minute, scanned.second),
                fraction: (scanned.nanosecond, digits), zone: scanned.zone)
        }
    }
}

extension TemporalSpan {
    /// The moments of a literal's fields, 0 for those that it does not have.
    fileprivate init(
        date: (year: Int, month: Int, day: Int), time: (hour: Int, minute: Int, second: Int)?,
        fraction: (nanosecond: Int, digits: [UInt8]), zone: Int
    ) {
        let offset = TemporalWord.minutes(ofZone: zone)
        hasZone = offset != nil
        // The year of a `time` is 0.
        let days = date.year == 0 ? 0 : Calendar.daysSinceEpoch(year: date.year, month: max(date.month, 1), day: max(date.day, 1))
        if let time {
            start = Moment(
                minute: days * 1_440 + time.hour * 60 + time.minute - (offset ?? 0), second: time.second, nanosecond: fraction.nanosecond,
                digits: fraction.digits)
            end = nil
            return
        }
        let length =
            if date.day > 0 { 1 } else if date.month > 0 { Calendar.days(inMonth: date.month, of: date.year) } else {
                Calendar.isLeap(date.year) ? 366 : 365
            }
        start = Moment(minute: days * 1_440)
        end = Moment(minute: (days + length) * 1_440)
    }
}

import Foundation

/// The interval of a date or time literal, from its first moment to the one after its last, in the literal's own zone.
package struct TemporalSpan: Sendable {
    /// A moment. Leap seconds have a place of their own, after second 59.
    package struct Moment: Comparable, Hashable, Sendable {
        /// Minutes since 1970, or since midnight for a `time`.
        package var minute: Int
        package var second: Int
        package var nanosecond: Int
        /// Digits after the ninth of a fraction, without zeros at the end.
        package var digits: [UInt8]

        package init(minute: Int, second: Int = 0, nanosecond: Int = 0, digits: [UInt8] = []) {
            (self.minute, self.second, self.nanosecond, self.digits) = (minute, second, nanosecond, digits)
        }

        package static func < (left: Moment, right: Moment) -> Bool {
            let first = (left.minute, left.second, left.nanosecond)
            let second = (right.minute, right.second, right.nanosecond)
            return first == second ? left.digits.lexicographicallyPrecedes(right.digits) : first < second
        }

        /// The moment that many seconds later, or earlier. Whole minutes leave a leap second one.
        package func moved(seconds: Int) -> Moment {
            var moment = self
            if seconds % 60 == 0 {
                moment.minute += seconds / 60
            } else {
                let minutes = (second + seconds).dividedDown(by: 60)
                moment.minute += minutes
                moment.second += seconds - minutes * 60
            }
            return moment
        }
    }

    package let start: Moment
    /// The first moment that the literal does not name: the next year, month, day, hour, minute or second, or the next value of its last digit.
    package let end: Moment
    package let precision: TemporalPrecision
    package let hasFraction: Bool
    /// The literal's offset from UTC in minutes, if it has one.
    package let offset: Int?

    /// The same by the clock of UTC, if the literal has an offset.
    package var utc: TemporalSpan { TemporalSpan(moved: self, by: -(offset ?? 0) * 60) }

    /// How it lies to another one, of which both are `time`s or neither is. A literal with a time is taken for one moment.
    func order(with other: TemporalSpan) -> FHIRTemporalOrder? {
        // A literal without an offset may be 14 hours earlier or later than it would be in UTC.
        let slack = (offset == nil) == (other.offset == nil) ? 0 : TemporalWord.maximumZoneMinutes * 60
        let (first, second) = (utc, other.utc)
        if first.isBefore(second, slack) { return .before }
        if second.isBefore(first, slack) { return .after }
        guard slack == 0, isMoment == other.isMoment, first.start == second.start else { return nil }
        return isMoment || first.end == second.end ? .same : nil
    }

    private var isMoment: Bool { precision > .day }

    private func isBefore(_ other: TemporalSpan, _ slack: Int) -> Bool {
        let earliest = other.start.moved(seconds: -slack)
        return isMoment ? start < earliest : end <= earliest
    }
}

extension FHIRTemporal {
    /// The interval of the literal; nil for invalid text from lenient reading.
    package var span: TemporalSpan? {
        switch _storage {
        case .word(let raw): return TemporalSpan(TemporalWord(raw: raw))
        case .text(let text):
            return TemporalSpan(text) { scanner in
                switch Self._type {
                case .time: scanner.readTime() && scanner.isAtEnd
                case .date: false
                default: scanner.readDate() && scanner.day > 0 && scanner.readTimeAndZone()
                }
            }
        }
    }
}

extension TemporalSpan {
    /// The interval of a text; nil unless the whole text is valid.
    package init?(_ text: String, read: (inout TemporalScanner) -> Bool) {
        var text = text
        let span: TemporalSpan? = text.withUTF8 { bytes in
            var scanner = TemporalScanner(bytes: bytes)
            guard read(&scanner), scanner.isAtEnd else { return nil }
            var digits: [UInt8] = []
            if scanner.fractionDigits > 9, let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
                digits = Array(bytes[(point + 10)..<(point + 1 + scanner.fractionDigits)])
            }
            return TemporalSpan(scanner, digits)
        }
        guard let span else { return nil }
        self = span
    }

    fileprivate init(_ word: TemporalWord) {
        var nanosecond = word.fraction
        for _ in word.fractionDigits..<9 { nanosecond *= 10 }
        self.init(
            precision: word.hasTime ? .second : word.day > 0 ? .day : word.month > 0 ? .month : .year,
            date: (word.year, word.month, word.day), time: (word.hour, word.minute, word.second),
            fraction: Fraction(nanosecond: nanosecond, length: word.fractionDigits), zone: word.zone)
    }

    private init(_ scanner: TemporalScanner, _ digits: [UInt8]) {
        self.init(
            precision: scanner.precision, date: (scanner.year, scanner.month, scanner.day),
            time: (scanner.hour, scanner.minute, scanner.second),
            fraction: Fraction(nanosecond: scanner.nanosecond, digits: digits, length: scanner.fractionDigits), zone: scanner.zone)
    }

    fileprivate init(moved span: TemporalSpan, by seconds: Int) {
        start = span.start.moved(seconds: seconds)
        end = span.end.moved(seconds: seconds)
        (precision, hasFraction, offset) = (span.precision, span.hasFraction, span.offset)
    }

    /// - Parameters:
    ///   - date: 0 for the parts that the literal does not have, all of them in a `time`.
    ///   - time: not looked at if the precision is a day or less.
    private init(
        precision: TemporalPrecision, date: (year: Int, month: Int, day: Int), time: (hour: Int, minute: Int, second: Int),
        fraction: Fraction, zone: Int
    ) {
        self.precision = precision
        hasFraction = fraction.length > 0
        offset = TemporalWord.minutes(ofZone: zone)
        let day = date.year == 0 ? 0 : Calendar.daysSinceEpoch(year: date.year, month: max(date.month, 1), day: max(date.day, 1))
        guard precision > .day else {
            let days =
                switch precision {
                case .year: Calendar.isLeap(date.year) ? 366 : 365
                case .month: Calendar.days(inMonth: date.month, of: date.year)
                default: 1
                }
            start = Moment(minute: day * 1_440)
            end = Moment(minute: (day + days) * 1_440)
            return
        }
        let minute = day * 1_440 + time.hour * 60 + time.minute
        // A minute may have a second 60, so second 59 ends there.
        let next = time.second < 60 ? Moment(minute: minute, second: time.second + 1) : Moment(minute: minute + 1)
        switch precision {
        case .hour, .minute:
            start = Moment(minute: minute)
            end = Moment(minute: minute + (precision == .hour ? 60 : 1))
        default:
            start = Moment(minute: minute, second: time.second, nanosecond: fraction.nanosecond, digits: fraction.trimmed)
            end =
                fraction.next.map { Moment(minute: minute, second: time.second, nanosecond: $0.nanosecond, digits: $0.trimmed) } ?? next
        }
    }

    /// The digits after the point.
    private struct Fraction {
        /// The first nine, as nanoseconds.
        var nanosecond = 0
        /// Those after the ninth.
        var digits: [UInt8] = []
        /// How many there are.
        var length: Int

        var trimmed: [UInt8] { Array(digits.reversed().drop { $0 == UInt8(ascii: "0") }.reversed()) }

        /// The value with the last digit one higher; nil if that is a whole second, also without a fraction.
        var next: Fraction? {
            guard length > 0 else { return nil }
            var next = self
            for index in digits.indices.reversed() {
                if next.digits[index] < UInt8(ascii: "9") {
                    next.digits[index] += 1
                    return next
                }
                next.digits[index] = UInt8(ascii: "0")
            }
            next.nanosecond += length >= 9 ? 1 : (length..<9).reduce(1) { unit, _ in unit * 10 }
            return next.nanosecond < 1_000_000_000 ? next : nil
        }
    }
}

extension TemporalSpan.Moment {
    /// The moment in UTC, a leap second as the first of the next minute.
    package var date: Date { Date(timeIntervalSince1970: Double(minute * 60 + second) + Double(nanosecond) / 1e9) }

    /// The millisecond nearest to a date, which a `Date` holds exactly enough.
    package init(_ date: Date) {
        let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
        let seconds = milliseconds.dividedDown(by: 1_000)
        let minutes = seconds.dividedDown(by: 60)
        self.init(minute: minutes, second: seconds - minutes * 60, nanosecond: (milliseconds - seconds * 1_000) * 1_000_000)
    }

    /// The moment as a date with a time, without an offset, and without zeros at the end of the fraction.
    package var text: String {
        let days = minute.dividedDown(by: 1_440)
        let (year, month, day) = Calendar.date(daysSinceEpoch: days)
        return year.padded(4) + "-" + month.padded(2) + "-" + day.padded(2) + "T" + timeText(after: days)
    }

    /// The moment as a time of day.
    package var timeText: String { timeText(after: 0) }

    private func timeText(after days: Int) -> String {
        let minutes = minute - days * 1_440
        let text = (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2) + ":" + second.padded(2)
        guard nanosecond > 0 || !digits.isEmpty else { return text }
        var fraction = nanosecond.padded(9) + String(decoding: digits, as: UTF8.self)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return text + "." + fraction
    }
}

extension Int {
    /// The quotient, rounded down.
    fileprivate func dividedDown(by divisor: Int) -> Int { (self - ((self % divisor) + divisor) % divisor) / divisor }
}

/// How far a date or time goes. Seconds and their fraction are one precision, as FHIRPath has it.
package enum TemporalPrecision: Int, Sendable, Comparable {
    case year, month, day, hour, minute, second

    package static func < (left: TemporalPrecision, right: TemporalPrecision) -> Bool { left.rawValue < right.rawValue }
}

/// Reads the parts of a date or time from left to right: of FHIR's literals, and of the shorter ones of searches and expressions. No other code reads one.
package struct TemporalScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    package private(set) var precision = TemporalPrecision.year
    package private(set) var year = 0
    package private(set) var month = 0
    package private(set) var day = 0
    package private(set) var hour = TemporalWord.noTime
    package private(set) var minute = 0
    package private(set) var second = 0
    package private(set) var fractionDigits = 0
    /// The first nine fraction digits, as nanoseconds.
    package private(set) var nanosecond = 0
    package private(set) var zone = TemporalWord.zoneNone

    package init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    package var word: TemporalWord {
        var fraction = nanosecond / 1_000_000
        if fractionDigits == 1 { fraction /= 100 }
        if fractionDigits == 2 { fraction /= 10 }
        return TemporalWord(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, fractionDigits: fractionDigits,
            fraction: fractionDigits == 0 ? 0 : fraction, zone: zone)
    }

    private mutating func number(_ digits: Int) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var value = 0
        for index in position..<position + digits {
            let digit = Int(bytes[index]) - 48
            guard digit >= 0, digit <= 9 else { return nil }
            value = value * 10 + digit
        }
        position += digits
        return value
    }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Reads a year, a month or a day, which the calendar must have.
    package mutating func readDate() -> Bool {
        guard let year = number(4), year > 0 else { return false }
        self.year = year
        guard skip("-") else { return true }
        guard let month = number(2), month >= 1, month <= 12 else { return false }
        self.month = month
        precision = .month
        guard skip("-") else { return true }
        guard let day = number(2), day >= 1, day <= Calendar.days(inMonth: month, of: year) else { return false }
        self.day = day
        precision = .day
        return true
    }

    /// Reads a time of day that goes at least as far as `shortest`: FHIR's have seconds, those of a search minutes, and those of FHIRPath an hour.
    package mutating func readTime(atLeast shortest: TemporalPrecision = .second) -> Bool {
        guard let hour = number(2), hour <= 23 else { return false }
        self.hour = hour
        precision = .hour
        guard skip(":") else { return shortest <= .hour }
        guard let minute = number(2), minute <= 59 else { return false }
        self.minute = minute
        precision = .minute
        guard skip(":") else { return shortest <= .minute }
        guard let second = number(2), second <= 60 else { return false }
        self.second = second
        precision = .second
        guard skip(".") else { return true }
        var scale = 100_000_000
        while position < bytes.count, bytes[position] >= 48, bytes[position] <= 57 {
            nanosecond += (Int(bytes[position]) - 48) * scale
            scale /= 10
            fractionDigits += 1
            position += 1
        }
        return fractionDigits > 0
    }

    /// Reads `T` and a time up to the end, the form in which tables keep values with a zone.
    package mutating func readLocalTime() -> Bool { skip("T") && readTime() && isAtEnd }

    /// Reads `T`, a time and its offset up to the end.
    package mutating func readTimeAndZone() -> Bool { skip("T") && readTime() && readZone() }

    /// Reads what may follow a date in a search or an expression, up to the end: `T` and a time that may be short and without an offset.
    ///
    /// - Parameter endsAfterT: whether the `T` may end the text and may follow a year or a month, as in FHIRPath's partial dateTimes.
    package mutating func readPartialTime(atLeast shortest: TemporalPrecision, endsAfterT: Bool) -> Bool {
        if isAtEnd { return true }
        guard skip("T") else { return false }
        if endsAfterT, isAtEnd { return true }
        return precision == .day && readTime(atLeast: shortest) && (isAtEnd || readZone())
    }

    /// Reads an offset from UTC up to the end.
    private mutating func readZone() -> Bool {
        if skip("Z") {
            zone = TemporalWord.zoneUTC
            return isAtEnd
        }
        let negative = skip("-")
        guard negative || skip("+") else { return false }
        guard let hours = number(2), skip(":"), let minutes = number(2), minutes <= 59 else { return false }
        let total = hours * 60 + minutes
        guard total <= TemporalWord.maximumZoneMinutes else { return false }
        zone = negative && total == 0 ? TemporalWord.zoneNegativeZero : TemporalWord.zone(ofMinutes: negative ? -total : total)
        return isAtEnd
    }
}

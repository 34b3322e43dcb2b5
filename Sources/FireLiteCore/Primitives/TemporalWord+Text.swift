/// The result of reading a date or time literal.
package enum TemporalLiteral {
    /// A valid literal that fits a word.
    case word(TemporalWord)
    /// A valid literal with more fraction digits than a word holds.
    case text
    /// Not a literal of the type.
    case invalid
}

extension TemporalWord {
    /// Reads a literal of one of the types date, dateTime, instant, time (<https://hl7.org/fhir/datatypes.html#dateTime>).
    package static func read(_ bytes: UnsafeBufferPointer<UInt8>, as type: PrimitiveType) -> TemporalLiteral {
        var scanner = TemporalScanner(bytes: bytes)
        let valid: Bool
        switch type {
        case .date: valid = scanner.readDate() && scanner.isAtEnd
        case .dateTime: valid = scanner.readDate() && (scanner.isAtEnd || scanner.day > 0 && scanner.readTimeAndZone())
        case .instant: valid = scanner.readDate() && scanner.day > 0 && scanner.readTimeAndZone()
        default: valid = scanner.readTime() && scanner.isAtEnd
        }
        guard valid else { return .invalid }
        return scanner.fractionDigits > 3 ? .text : .word(scanner.word)
    }

    /// Writes the literal at `bytes`, which has room for 32, and returns its length.
    package func write(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        var length = 0
        if year > 0 || month > 0 {
            length = writeDate(to: bytes)
            guard hasTime else { return length }
            bytes[length] = UInt8(ascii: "T")
            length += 1
        }
        length += writeTime(to: bytes + length)
        switch zone {
        case Self.zoneNone: return length
        case Self.zoneUTC:
            bytes[length] = UInt8(ascii: "Z")
            return length + 1
        default:
            let minutes = zone == Self.zoneNegativeZero ? 0 : zone - Self.zoneBias
            bytes[length] = zone == Self.zoneNegativeZero || minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
            let magnitude = abs(minutes)
            Self.put2(magnitude / 60, bytes + length + 1)
            bytes[length + 3] = UInt8(ascii: ":")
            Self.put2(magnitude % 60, bytes + length + 4)
            return length + 6
        }
    }

    package func writeDate(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        Self.put2(year / 100, bytes)
        Self.put2(year % 100, bytes + 2)
        guard month > 0 else { return 4 }
        bytes[4] = UInt8(ascii: "-")
        Self.put2(month, bytes + 5)
        guard day > 0 else { return 7 }
        bytes[7] = UInt8(ascii: "-")
        Self.put2(day, bytes + 8)
        return 10
    }

    package func writeTime(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        Self.put2(hour, bytes)
        bytes[2] = UInt8(ascii: ":")
        Self.put2(minute, bytes + 3)
        bytes[5] = UInt8(ascii: ":")
        Self.put2(second, bytes + 6)
        let digits = fractionDigits
        guard digits > 0 else { return 8 }
        bytes[8] = UInt8(ascii: ".")
        var rest = fraction
        for index in stride(from: digits - 1, through: 0, by: -1) {
            bytes[9 + index] = UInt8(truncatingIfNeeded: rest % 10) + 48
            rest /= 10
        }
        return 9 + digits
    }

    @inline(__always) private static func put2(_ value: Int, _ bytes: UnsafeMutablePointer<UInt8>) {
        bytes[0] = UInt8(truncatingIfNeeded: value / 10) + 48
        bytes[1] = UInt8(truncatingIfNeeded: value % 10) + 48
    }

    /// The literal.
    package var text: String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
            let length = write(to: buffer.baseAddress.unsafelyUnwrapped)
            return String(decoding: buffer[..<length], as: UTF8.self)
        }
    }
}

// Dates and times as SQL compares them: in UTC, with the zone kept separately.

extension TemporalWord {
    /// The fields shifted by minutes, without a zone; nil if the year would leave 1 to 9999.
    package func shifted(minutes: Int) -> TemporalWord? {
        guard minutes != 0 else { return replacing(zone: Self.zoneNone) }
        let total = hour * 60 + minute + minutes
        let dayShift = total >= 0 ? total / 1_440 : -((1_439 - total) / 1_440)
        let minuteOfDay = total - dayShift * 1_440
        var (year, month, day) = (year, month, day)
        if dayShift != 0 {
            (year, month, day) = Calendar.date(
                daysSinceEpoch: Calendar.daysSinceEpoch(year: year, month: month, day: day) + dayShift)
            guard (1...9999).contains(year) else { return nil }
        }
        return TemporalWord(
            year: year, month: month, day: day, hour: minuteOfDay / 60, minute: minuteOfDay % 60, second: second,
            fractionDigits: fractionDigits, fraction: fraction, zone: Self.zoneNone)
    }
}

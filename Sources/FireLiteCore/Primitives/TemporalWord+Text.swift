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

/// Reads the parts of a date or time literal from left to right.
package struct TemporalScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
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

    package mutating func readDate() -> Bool {
        guard let year = number(4), year > 0 else { return false }
        self.year = year
        guard skip("-") else { return true }
        guard let month = number(2), month >= 1, month <= 12 else { return false }
        self.month = month
        guard skip("-") else { return true }
        guard let day = number(2), day >= 1, day <= Calendar.days(inMonth: month, of: year) else { return false }
        self.day = day
        return true
    }

    package mutating func readTime() -> Bool {
        guard let hour = number(2), hour <= 23, skip(":"), let minute = number(2), minute <= 59, skip(":"),
            let second = number(2), second <= 60
        else { return false }
        self.hour = hour
        self.minute = minute
        self.second = second
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

    package mutating func readTimeAndZone() -> Bool {
        guard skip("T"), readTime() else { return false }
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

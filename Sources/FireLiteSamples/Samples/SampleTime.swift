import Foundation

/// Times of samples: milliseconds since 1970, read and written by arithmetic, as Foundation's formatters cost more than storing a sample.
package enum SampleTime {
    static func milliseconds(_ date: Date) -> Int64 { date.milliseconds() }

    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Times from the year 0 to the year 10000, more than a dateTime of FHIR can have.
    static let possible = Int64(days(0, 1, 1)) * 86_400_000...Int64(days(10_001, 1, 1)) * 86_400_000

    // MARK: - Days

    /// The days from 1970-01-01 to a date of the Gregorian calendar.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin with March here, so that the leap day is the last one.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day, counted from 1970-01-01.
    static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civil = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civil <= 2 ? 1 : 0), civil, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    // MARK: - Text

    /// As FHIR's dateTime: `2026-03-29T08:30:00.250+01:00`; without a fraction if it is a whole second.
    ///
    /// - Parameter offset: seconds east of Greenwich, written in whole minutes.
    package static func text(_ milliseconds: Int64, offset: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        append(milliseconds, offset: offset, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func append(_ milliseconds: Int64, offset: Int, to bytes: inout [UInt8]) {
        let minutes = offset / 60
        let local = milliseconds + Int64(minutes) * 60_000
        let day = local >= 0 ? local / 86_400_000 : (local - 86_399_999) / 86_400_000
        let rest = Int(local - day * 86_400_000)
        let (year, month, dayOfMonth) = date(ofDay: Int(day))
        digits(year, 4, &bytes)
        bytes.append(45)
        digits(month, 2, &bytes)
        bytes.append(45)
        digits(dayOfMonth, 2, &bytes)
        bytes.append(84)
        digits(rest / 3_600_000, 2, &bytes)
        bytes.append(58)
        digits(rest / 60_000 % 60, 2, &bytes)
        bytes.append(58)
        digits(rest / 1_000 % 60, 2, &bytes)
        if rest % 1_000 != 0 {
            bytes.append(46)
            digits(rest % 1_000, 3, &bytes)
        }
        if minutes == 0 { return bytes.append(90) }
        bytes.append(minutes < 0 ? 45 : 43)
        digits(abs(minutes) / 60, 2, &bytes)
        bytes.append(58)
        digits(abs(minutes) % 60, 2, &bytes)
    }

    private static func digits(_ number: Int, _ count: Int, _ bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(48 + number / divisor % 10))
            divisor /= 10
        }
    }

    /// Reads `2026-03-29 08:30:00 +0100` and `2026-03-29T08:30:00.25+01:00`. Without an offset, it is Greenwich time.
    ///
    /// - Returns: milliseconds since 1970 and the offset in seconds, nil if there is none; nil for anything else.
    static func read(_ text: some StringProtocol) -> (milliseconds: Int64, offset: Int?)? {
        var copy = String(text)
        return copy.withUTF8 { read($0) }
    }

    static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> (milliseconds: Int64, offset: Int?)? {
        var reader = DigitReader(bytes: bytes)
        // FHIR's years begin with 0001 (FHIR, Datatypes, dateTime).
        guard let year = reader.number(4), year > 0, reader.take(45), let month = reader.number(2), 1...12 ~= month, reader.take(45),
            let day = reader.number(2), 1...31 ~= day, reader.take(84) || reader.take(32), let hour = reader.number(2), hour < 25,
            reader.take(58), let minute = reader.number(2), minute < 60, reader.take(58), let second = reader.number(2), second < 61
        else { return nil }
        var fraction = 0
        if reader.take(46) {
            var (scale, count) = (100, 0)
            while let digit = reader.number(1) {
                fraction += digit * scale
                scale /= 10
                count += 1
            }
            if count == 0 { return nil }
        }
        while reader.take(32) {}
        var offset: Int?
        if reader.take(90) {
            offset = 0
        } else if let sign = reader.sign() {
            guard let hours = reader.number(2) else { return nil }
            _ = reader.take(58)
            // No place is further from Greenwich (FHIR, Datatypes, dateTime).
            guard let minutes = reader.number(2), minutes < 60, hours * 60 + minutes <= 14 * 60 else { return nil }
            offset = sign * (hours * 3_600 + minutes * 60)
        }
        guard reader.isAtEnd else { return nil }
        let number = days(year, month, day)
        // A day that the month does not have is counted on into the next one.
        guard day <= 28 || date(ofDay: number).day == day else { return nil }
        let seconds = number * 86_400 + hour * 3_600 + minute * 60 + second - (offset ?? 0)
        return (Int64(seconds) * 1_000 + Int64(fraction), offset)
    }

    private struct DigitReader {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func sign() -> Int? { take(43) ? 1 : take(45) ? -1 : nil }

        mutating func number(_ count: Int) -> Int? {
            guard position + count <= bytes.count else { return nil }
            var value = 0
            for index in position..<position + count {
                guard 48...57 ~= bytes[index] else { return nil }
                value = value * 10 + Int(bytes[index] - 48)
            }
            position += count
            return value
        }
    }
}

/// Time zones by offset, as making one costs more than reading a sample.
enum FixedZones {
    private static let zones: [Int: TimeZone] = {
        var zones: [Int: TimeZone] = [:]
        for offset in stride(from: -14 * 3_600, through: 14 * 3_600, by: 900) { zones[offset] = TimeZone(secondsFromGMT: offset) }
        return zones
    }()

    static func zone(_ offset: Int) -> TimeZone? { zones[offset] ?? TimeZone(secondsFromGMT: offset) }
}

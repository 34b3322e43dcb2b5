import FireLiteCore

extension PathTemporal {
    /// The value of a FHIRPath literal without its `@`: `2020-01`, `2020T`, `T10:30`; nil if it is not one.
    init?(literal text: String) {
        if text.hasPrefix("T") {
            guard let value = PathTemporal(text: String(text.dropFirst()), .time) else { return nil }
            self = value
        } else if text.hasSuffix("T") {
            guard let value = PathTemporal(text: String(text.dropLast()), .date) else { return nil }
            self = value.asDateTime
        } else {
            guard let value = PathTemporal(text: text, text.contains("T") ? .dateTime : .date) else { return nil }
            self = value
        }
    }

    /// The value of a text, which may end at any part; nil if it is not one of the kind.
    init?(text: String, _ kind: Kind) {
        var text = text
        let value: PathTemporal? = text.withUTF8 { bytes in
            var scanner = TemporalScanner(bytes: bytes)
            let isRead =
                switch kind {
                case .time: scanner.readTime(atLeast: .hour)
                case .date: scanner.readDate()
                case .dateTime: scanner.readDate() && scanner.readPartialTime(atLeast: .hour, endsAfterT: true)
                }
            return isRead && scanner.isAtEnd ? PathTemporal(scanner, kind) : nil
        }
        guard let value else { return nil }
        self = value
    }

    private init(_ scanner: TemporalScanner, _ kind: Kind) {
        self.init(kind: kind, precision: scanner.precision)
        if kind != .time { (year, month, day) = (scanner.year, max(scanner.month, 1), max(scanner.day, 1)) }
        guard hasTime else { return }
        (hour, minute, second, nanosecond) = (scanner.hour, scanner.minute, scanner.second, scanner.nanosecond)
        fractionDigits = min(scanner.fractionDigits, 9)
        offset = TemporalWord.minutes(ofZone: scanner.zone)
        isZulu = scanner.zone == TemporalWord.zoneUTC
    }

    /// The value as FHIR writes it.
    package var text: String {
        // Calculations go beyond the years that have four digits.
        guard 0...9999 ~= year else { return year.padded(4) + text(withYear: false) }
        return text(withYear: true)
    }

    private func text(withYear: Bool) -> String {
        // The longest has 35 bytes.
        String(unsafeUninitializedCapacity: 40) { bytes in
            var digits = DigitWriter(bytes: bytes)
            if kind != .time {
                if withYear { digits.write(year, 4) }
                if precision >= .month { digits.write("-", month, 2) }
                if precision >= .day { digits.write("-", day, 2) }
                guard hasTime else { return digits.count }
                digits.write("T")
            }
            digits.write(hour, 2)
            if precision >= .minute { digits.write(":", minute, 2) }
            if precision >= .second { digits.write(":", second, 2) }
            if precision >= .second, fractionDigits > 0 {
                digits.write(".", nanosecond, 9)
                digits.count -= 9 - fractionDigits
            }
            guard let offset else { return digits.count }
            if isZulu {
                digits.write("Z")
            } else {
                digits.write(offset < 0 ? "-" : "+", abs(offset) / 60, 2)
                digits.write(":", abs(offset) % 60, 2)
            }
            return digits.count
        }
    }

    /// The value as FHIR writes it, but without its zone.
    package var textWithoutZone: String {
        var value = self
        value.offset = nil
        return value.text
    }

    /// The value as FHIRPath writes it.
    package var literal: String {
        switch kind {
        case .time: "@T\(text)"
        case .date: "@\(text)"
        case .dateTime: "@\(text)\(hasTime ? "" : "T")"
        }
    }
}

/// Writes numbers with a fixed number of digits.
private struct DigitWriter {
    let bytes: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func write(_ character: Unicode.Scalar) {
        bytes[count] = UInt8(ascii: character)
        count += 1
    }

    mutating func write(_ number: Int, _ digits: Int) {
        var rest = number
        for place in stride(from: count + digits - 1, through: count, by: -1) {
            bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += digits
    }

    mutating func write(_ character: Unicode.Scalar, _ number: Int, _ digits: Int) {
        write(character)
        write(number, digits)
    }
}

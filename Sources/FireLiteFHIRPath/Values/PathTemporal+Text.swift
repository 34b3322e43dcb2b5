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
        var reader = Reader(bytes: Array(text.utf8))
        guard let value = reader.read(kind), reader.isAtEnd else { return nil }
        self = value
    }

    /// The value as FHIR writes it.
    package var text: String {
        var text = ""
        if kind != .time {
            text = year.padded(4)
            if precision >= .month { text += "-" + month.padded(2) }
            if precision >= .day { text += "-" + day.padded(2) }
            guard hasTime else { return text }
            text += "T"
        }
        text += hour.padded(2)
        if precision >= .minute { text += ":" + minute.padded(2) }
        if precision >= .second { text += ":" + second.padded(2) }
        if precision >= .second, fractionDigits > 0 { text += "." + nanosecond.padded(9).prefix(fractionDigits) }
        guard let offset else { return text }
        if isZulu { return text + "Z" }
        return text + (offset < 0 ? "-" : "+") + (abs(offset) / 60).padded(2) + ":" + (abs(offset) % 60).padded(2)
    }

    /// The value as FHIRPath writes it.
    package var literal: String {
        switch kind {
        case .time: "@T\(text)"
        case .date: "@\(text)"
        case .dateTime: "@\(text)\(hasTime ? "" : "T")"
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func read(_ kind: Kind) -> PathTemporal? {
            guard kind != .time else {
                var value = PathTemporal(kind: .time, precision: .second)
                return readTime(&value, .time)
            }
            guard let year = number(4), year > 0 else { return nil }
            var value = PathTemporal(kind: kind, precision: .year)
            value.year = year
            guard skip("-") else { return afterDate(value) }
            guard let month = number(2), (1...12).contains(month) else { return nil }
            value = value.withPrecision(.month)
            value.month = month
            guard skip("-") else { return afterDate(value) }
            guard let day = number(2), day >= 1, day <= Calendar.days(inMonth: month, of: year) else { return nil }
            value = value.withPrecision(.day)
            value.day = day
            guard kind == .dateTime, skip("T") else { return value }
            if isAtEnd { return value }
            guard let time = readTime(&value, .dateTime) else { return nil }
            value = time
            if skip("Z") {
                value.offset = 0
                value.isZulu = true
                return value
            }
            let isNegative = skip("-")
            guard isNegative || skip("+") else { return value }
            guard let hours = number(2), skip(":"), let minutes = number(2), minutes < 60, hours <= 14 else { return nil }
            value.offset = (hours * 60 + minutes) * (isNegative ? -1 : 1)
            return value
        }

        private mutating func afterDate(_ value: PathTemporal) -> PathTemporal? {
            guard value.kind == .dateTime, skip("T") else { return value }
            return isAtEnd ? value : nil
        }

        private mutating func readTime(_ value: inout PathTemporal, _ kind: Kind) -> PathTemporal? {
            guard let hour = number(2), hour < 24 else { return nil }
            value.hour = hour
            guard skip(":") else { return value.withPrecision(.hour) }
            guard let minute = number(2), minute < 60 else { return nil }
            value.minute = minute
            guard skip(":") else { return value.withPrecision(.minute) }
            guard let second = number(2), second <= 60 else { return nil }
            value.second = second
            value = value.withPrecision(.second)
            guard skip(".") else { return value }
            var scale = 100_000_000
            var digits = 0
            while position < bytes.count, Lexer.isDigit(bytes[position]) {
                value.nanosecond += Int(bytes[position] - 48) * scale
                scale /= 10
                digits += 1
                position += 1
            }
            guard digits > 0 else { return nil }
            value.fractionDigits = min(digits, 9)
            return value
        }

        private mutating func number(_ digits: Int) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<position + digits] {
                guard Lexer.isDigit(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            position += digits
            return value
        }

        private mutating func skip(_ byte: UnicodeScalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
            position += 1
            return true
        }
    }
}

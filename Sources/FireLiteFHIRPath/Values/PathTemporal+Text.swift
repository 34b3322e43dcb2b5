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

import FireLiteCore

/// A date, dateTime or time with the precision it was written with.
package struct PathTemporal: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case date, dateTime, time
    }

    typealias Precision = TemporalPrecision

    let kind: Kind
    let precision: Precision
    var year = 1
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    var nanosecond = 0
    /// The digits of the fraction as written, at most 9.
    var fractionDigits = 0
    /// Minutes east of UTC; nil without a zone.
    package var offset: Int?
    /// Whether the zone is written as `Z`.
    var isZulu = false

    init(kind: Kind, precision: Precision) {
        self.kind = kind
        self.precision = precision
    }

    // MARK: - From FHIR's primitives

    init(_ word: TemporalWord, _ type: PrimitiveType) {
        let precision: Precision = word.hasTime ? .second : word.day > 0 ? .day : word.month > 0 ? .month : .year
        self.init(kind: Self.kind(of: type), precision: precision)
        if kind != .time {
            year = word.year
            month = max(word.month, 1)
            day = max(word.day, 1)
        }
        guard word.hasTime else { return }
        (hour, minute, second, fractionDigits) = (word.hour, word.minute, word.second, word.fractionDigits)
        nanosecond = word.fraction
        for _ in word.fractionDigits..<9 { nanosecond *= 10 }
        offset = word.zoneMinutes
        isZulu = word.zone == TemporalWord.zoneUTC
    }

    /// The value of a literal as FHIR writes it; nil if it is not one.
    package init?(text: String, of type: PrimitiveType) {
        guard let value = PathTemporal(text: text, Self.kind(of: type)) else { return nil }
        self = value
    }

    private static func kind(of type: PrimitiveType) -> Kind {
        switch type {
        case .date: .date
        case .time: .time
        default: .dateTime
        }
    }

    // MARK: - Parts

    /// Whether it is a time of day without a date.
    package var isTimeOfDay: Bool { kind == .time }

    /// FHIR's type of such values.
    package var primitive: PrimitiveType { kind == .date ? .date : kind == .time ? .time : .dateTime }

    package var hasTime: Bool { precision >= .hour }

    /// The part without the time.
    var datePart: PathTemporal {
        var date = PathTemporal(kind: .date, precision: min(precision, .day))
        (date.year, date.month, date.day) = (year, month, day)
        return date
    }

    /// The time of day, if there is one.
    var timePart: PathTemporal? {
        guard hasTime else { return nil }
        var time = PathTemporal(kind: .time, precision: precision)
        (time.hour, time.minute, time.second, time.nanosecond, time.fractionDigits) = (hour, minute, second, nanosecond, fractionDigits)
        return time
    }

    /// The same moments as a dateTime.
    var asDateTime: PathTemporal {
        var value = PathTemporal(kind: .dateTime, precision: precision)
        (value.year, value.month, value.day) = (year, month, day)
        (value.hour, value.minute, value.second, value.nanosecond, value.fractionDigits) = (
            hour, minute, second, nanosecond, fractionDigits
        )
        (value.offset, value.isZulu) = (offset, isZulu)
        return value
    }

    func withPrecision(_ precision: Precision) -> PathTemporal {
        var value = PathTemporal(kind: kind, precision: precision)
        (value.year, value.month, value.day) = (year, month, day)
        (value.hour, value.minute, value.second, value.nanosecond, value.fractionDigits) = (
            hour, minute, second, nanosecond, fractionDigits
        )
        (value.offset, value.isZulu) = (offset, isZulu)
        return value
    }

    /// The number of digits that it is written with, without punctuation and zone: 4 for a year, 17 for milliseconds.
    var digits: Int {
        let time = fractionDigits > 0 ? 3 : 0
        switch precision {
        case .year: return 4
        case .month: return 6
        case .day: return 8
        case .hour: return kind == .time ? 2 : 10
        case .minute: return kind == .time ? 4 : 12
        case .second: return (kind == .time ? 6 : 14) + time
        }
    }
}

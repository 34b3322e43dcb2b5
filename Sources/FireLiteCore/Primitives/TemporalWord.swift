/// A date, dateTime, instant or time literal in one word: its fields, its precision and the form of its zone.
///
/// From the top: year 14 bits, month 4, day 5, hour 5, minute 6, second 6, number of fraction digits 2, fraction 10, zone 11.
/// A month or day of 0 and an hour of `noTime` say that the literal ends before them. More than three fraction digits need text.
@frozen public struct TemporalWord: Equatable, Sendable {
    public let raw: Int64

    package init(raw: Int64) { self.raw = raw }

    package static let noTime = 31
    package static let zoneUTC = 1681
    package static let zoneNone = 1682
    package static let zoneNegativeZero = 1683

    package init(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, fractionDigits: Int, fraction: Int, zone: Int
    ) {
        var bits = Int64(year) << 49 | Int64(month) << 45 | Int64(day) << 40 | Int64(hour) << 35
        bits |= Int64(minute) << 29 | Int64(second) << 23 | Int64(fractionDigits) << 21 | Int64(fraction) << 11 | Int64(zone)
        raw = bits
    }

    package var year: Int { Int(raw >> 49) }
    package var month: Int { Int(raw >> 45) & 15 }
    package var day: Int { Int(raw >> 40) & 31 }
    package var hour: Int { Int(raw >> 35) & 31 }
    package var minute: Int { Int(raw >> 29) & 63 }
    package var second: Int { Int(raw >> 23) & 63 }
    package var fractionDigits: Int { Int(raw >> 21) & 3 }
    package var fraction: Int { Int(raw >> 11) & 1023 }
    package var zone: Int { Int(raw) & 2047 }

    package var hasTime: Bool { hour != Self.noTime }

    /// Minutes east of UTC; nil if the literal has no zone.
    package var zoneMinutes: Int? {
        switch zone {
        case Self.zoneNone: nil
        case Self.zoneUTC, Self.zoneNegativeZero: 0
        default: zone - 840
        }
    }
}

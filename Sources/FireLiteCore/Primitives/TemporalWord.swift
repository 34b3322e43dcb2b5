/// A date, dateTime, instant or time literal in one word: its fields, its precision and the form of its zone.
///
/// From the top: year 14 bits, month 4, day 5, hour 5, minute 6, second 6, number of fraction digits 2, fraction 10, zone 11.
/// A month or day of 0 and an hour of `noTime` say that the literal ends before them. More than three fraction digits need text.
package struct TemporalWord: Equatable, Sendable {
    package let raw: Int64

    package init(raw: Int64) { self.raw = raw }

    /// The hour of a literal without a time.
    package static let noTime = 31

    /// The greatest offset from UTC that FHIR allows, 14 hours, in minutes (<https://hl7.org/fhir/datatypes.html#dateTime>).
    package static let maximumZoneMinutes = 840
    /// The number added to an offset in minutes to give its zone, from 0 (`-14:00`) to 1680 (`+14:00`).
    package static let zoneBias = maximumZoneMinutes
    /// `+00:00`
    package static let zonePositiveZero = zoneBias
    /// `Z`
    package static let zoneUTC = 1681
    /// No zone.
    package static let zoneNone = 1682
    /// `-00:00`
    package static let zoneNegativeZero = 1683
    /// The bits of the zone.
    private static let zoneMask: Int64 = 2047

    /// The zone of an offset other than 0, which has three forms.
    package static func zone(ofMinutes minutes: Int) -> Int { zoneBias + minutes }

    /// Minutes east of UTC; nil without a zone.
    package static func minutes(ofZone zone: Int) -> Int? {
        switch zone {
        case zoneNone: nil
        case zoneUTC, zoneNegativeZero: 0
        default: zone - zoneBias
        }
    }

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
    package var zone: Int { Int(raw & Self.zoneMask) }

    package var hasTime: Bool { hour != Self.noTime }

    /// Minutes east of UTC; nil if the literal has no zone.
    package var zoneMinutes: Int? { Self.minutes(ofZone: zone) }

    /// The same fields with another zone.
    package func replacing(zone: Int) -> TemporalWord { TemporalWord(raw: raw & ~Self.zoneMask | Int64(zone)) }
}

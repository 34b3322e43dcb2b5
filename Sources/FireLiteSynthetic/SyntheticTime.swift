import FireLiteCore
import FireLiteR4

/// A minute of the Gregorian calendar, with its FHIR texts.
struct SyntheticTime: Comparable {
    /// Minutes since the beginning of 1970.
    private(set) var minutes: Int

    init(year: Int, dayOfYear: Int, minute: Int) {
        minutes = (Self.days(before: year) + dayOfYear - 1) * 1_440 + minute
    }

    static func < (left: SyntheticTime, right: SyntheticTime) -> Bool { left.minutes < right.minutes }

    func adding(days: Int, minutes: Int = 0) -> SyntheticTime {
        var later = self
        later.minutes += days * 1_440 + minutes
        return later
    }

    var year: Int { date.year }

    // MARK: - Texts

    var fhirDate: FHIRDate? { FHIRDate(day) }
    var fhirDateTime: FHIRDateTime? { FHIRDateTime("\(day)T\(clock):00-05:00") }
    var fhirInstant: FHIRInstant? { FHIRInstant("\(day)T\(clock):00.\(Self.digits(minutes % 1_000 / 10))5-05:00") }

    private var day: String {
        let (year, month, day) = date
        return "\(year)-\(Self.digits(month))-\(Self.digits(day))"
    }

    private var clock: String {
        let minute = minutes - Self.floorDivide(minutes, 1_440) * 1_440
        return "\(Self.digits(minute / 60)):\(Self.digits(minute % 60))"
    }

    private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    // MARK: - Calendar

    private var date: (year: Int, month: Int, day: Int) {
        let days = Self.floorDivide(minutes, 1_440)
        var year = 1970 + Self.floorDivide(days, days < 0 ? 365 : 366)
        while Self.days(before: year + 1) <= days { year += 1 }
        var day = days - Self.days(before: year)
        var month = 1
        for length in [31, Self.isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
            if day < length { break }
            day -= length
            month += 1
        }
        return (year, month, day + 1)
    }

    /// Days from the beginning of 1970 to that of the year.
    private static func days(before year: Int) -> Int {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}

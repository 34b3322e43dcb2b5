import Foundation

/// The intervals of a time zone's calendar between two times.
enum SampleIntervals {
    /// The most intervals: more than a year has minutes. Each takes memory, and one wrong time is enough for millions.
    static let most = 600_000

    /// The beginnings of the intervals and the end of the last one, in milliseconds since 1970; the first one holds `start`.
    ///
    /// - Parameter isGiven: whether the caller has given both times, instead of taking them from the samples.
    /// - Throws: `SampleError.invalidArgument` for more than ``most``.
    static func boundaries(
        _ interval: SampleInterval, from start: Date, to end: Date, in zone: TimeZone, isGiven: Bool = false
    ) throws -> [Int64] {
        guard start < end else { return [] }
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        let unit: (component: Foundation.Calendar.Component, amount: Int)
        switch interval {
        case .whole: return [SampleTime.milliseconds(start), SampleTime.milliseconds(end)]
        case .minutes(let minutes): return try steps(minutes: max(1, minutes), calendar, start, end, isGiven)
        case .hour: return try steps(minutes: 60, calendar, start, end, isGiven)
        case .day: unit = (.day, 1)
        case .week: unit = (.weekOfYear, 1)
        case .month: unit = (.month, 1)
        }
        guard var date = calendar.dateInterval(of: unit.component, for: start)?.start else { return [] }
        var boundaries = [SampleTime.milliseconds(date)]
        while date < end {
            // From the beginning of a day to the beginning of the next, wherever clocks are changed.
            guard let next = calendar.dateInterval(of: unit.component, for: date)?.end, next > date else { break }
            boundaries.append(SampleTime.milliseconds(next))
            if boundaries.count > most { throw tooMany(isGiven) }
            date = next
        }
        return boundaries
    }

    private static func tooMany(_ isGiven: Bool) -> SampleError {
        SampleError(
            .invalidArgument,
            isGiven
                ? "the span of time has more than \(most) intervals: give a shorter one, or longer intervals"
                : "the samples lie in more than \(most) intervals, perhaps for a wrong time of one: give a beginning and an end, or longer intervals"
        )
    }

    /// Spans of the same length, from the beginning of each day.
    private static func steps(minutes: Int, _ calendar: Foundation.Calendar, _ start: Date, _ end: Date, _ isGiven: Bool) throws -> [Int64]
    {
        let length = Int64(minutes) * 60_000
        var boundaries: [Int64] = []
        let (first, last) = (SampleTime.milliseconds(start), SampleTime.milliseconds(end))
        guard (last - first) / length <= Int64(most) else { throw tooMany(isGiven) }
        let midnights = try Self.boundaries(.day, from: start, to: end, in: calendar.timeZone, isGiven: isGiven)
        for (day, next) in zip(midnights, midnights.dropFirst()) {
            var time = day
            while time < next, time < last {
                if min(time + length, next) > first { boundaries.append(time) }
                if boundaries.count > most { throw tooMany(isGiven) }
                time += length
            }
            if time >= last || next >= last { boundaries.append(min(time, next)) }
        }
        return boundaries
    }
}

import Foundation

// Converts to and from Foundation's `DateComponents`, which are fields, while `date` is a moment. The comments name all losses.

extension FHIRTemporal {
    /// The fields of the literal, and the offset as a time zone; empty for invalid text from lenient reading.
    ///
    /// No calendar is set: FHIR's dates are Gregorian, even before 1582, where Foundation's calendar turns Julian. `Z`, `+00:00` and
    /// `-00:00` become the zone GMT, and a fraction is cut after nine digits.
    public var dateComponents: DateComponents {
        var components = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        if hour != nil { components.nanosecond = scanned?.nanosecond }
        components.timeZone = offsetMinutes.flatMap { TimeZone(secondsFromGMT: $0 * 60) }
        return components
    }

    /// The value with these fields; nil if a field is missing or not allowed for the type, or if the date does not exist.
    ///
    /// A `date` takes year, month and day; a `dateTime` those, or with hour, minute, second and time zone; an `instant` all of these; a
    /// `time` hour, minute and second. A fraction gets as few digits as the nanoseconds need. Era, quarter, weeks and weekdays are ignored,
    /// and a calendar must be Gregorian. The zone's offset at that time must be whole minutes, up to 14 hours.
    public init?(_ components: DateComponents) {
        if let calendar = components.calendar, ![.gregorian, .iso8601].contains(calendar.identifier) { return nil }
        let time = [components.hour, components.minute, components.second]
        let hasTime = time.contains { $0 != nil }
        if hasTime, time.contains(where: { $0 == nil }) { return nil }
        if !hasTime, components.nanosecond ?? 0 != 0 { return nil }
        var literal = ""
        if Self._type != .time {
            guard let date = Self.dateText(components, isWhole: hasTime) else { return nil }
            literal = date
        } else if components.year != nil || components.month != nil || components.day != nil {
            return nil
        }
        if let hour = components.hour, let minute = components.minute, let second = components.second {
            guard let time = Self.timeText(hour, minute: minute, second: second, nanosecond: components.nanosecond ?? 0) else { return nil }
            literal += Self._type == .time ? time : "T" + time
        }
        if hasTime, Self._type != .time {
            guard let zone = Self.zoneText(components) else { return nil }
            literal += zone
        } else if components.timeZone != nil {
            return nil
        }
        self.init(literal)
    }

    private static func dateText(_ components: DateComponents, isWhole: Bool) -> String? {
        guard let year = components.year, components.era ?? 1 == 1, (1...9_999).contains(year) else { return nil }
        var text = year.padded(4)
        guard let month = components.month else { return components.day == nil && !isWhole ? text : nil }
        guard (1...12).contains(month) else { return nil }
        text += "-" + month.padded(2)
        guard let day = components.day else { return isWhole ? nil : text }
        guard (1...31).contains(day) else { return nil }
        return text + "-" + day.padded(2)
    }

    private static func timeText(_ hour: Int, minute: Int, second: Int, nanosecond: Int) -> String? {
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second), (0...999_999_999).contains(nanosecond) else {
            return nil
        }
        let text = hour.padded(2) + ":" + minute.padded(2) + ":" + second.padded(2)
        guard nanosecond > 0 else { return text }
        var digits = nanosecond.padded(9)
        while digits.last == "0" { digits.removeLast() }
        return text + "." + digits
    }

    /// `Z` or the offset of the components' zone at their time; nil without a zone, or if the time does not exist in it.
    private static func zoneText(_ components: DateComponents) -> String? {
        guard let zone = components.timeZone else { return nil }
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var fields = DateComponents(
            year: components.year, month: components.month, day: components.day, hour: components.hour, minute: components.minute)
        fields.calendar = calendar
        guard let date = calendar.date(from: fields) else { return nil }
        // Midnight and noon of a day without them, as clocks go forward, are other times.
        let found = calendar.dateComponents([.hour, .minute], from: date)
        guard found.hour == components.hour, found.minute == components.minute else { return nil }
        let seconds = zone.secondsFromGMT(for: date)
        guard seconds % 60 == 0, abs(seconds) <= TemporalWord.maximumZoneMinutes * 60 else { return nil }
        if seconds == 0 { return "Z" }
        let minutes = abs(seconds) / 60
        return (seconds < 0 ? "-" : "+") + (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2)
    }
}

// Dates and times as SQL compares them: in UTC, with the zone kept separately.

extension TemporalWord {
    /// The fields shifted by minutes, without a zone; nil if the year would leave 1 to 9999.
    package func shifted(minutes: Int) -> TemporalWord? {
        guard minutes != 0 else { return replacing(zone: Self.zoneNone) }
        let total = hour * 60 + minute + minutes
        let dayShift = total >= 0 ? total / 1_440 : -((1_439 - total) / 1_440)
        let minuteOfDay = total - dayShift * 1_440
        var (year, month, day) = (year, month, day)
        if dayShift != 0 {
            (year, month, day) = Calendar.date(
                daysSinceEpoch: Calendar.daysSinceEpoch(year: year, month: month, day: day) + dayShift)
            guard (1...9999).contains(year) else { return nil }
        }
        return TemporalWord(
            year: year, month: month, day: day, hour: minuteOfDay / 60, minute: minuteOfDay % 60, second: second,
            fractionDigits: fractionDigits, fraction: fraction, zone: Self.zoneNone)
    }
}

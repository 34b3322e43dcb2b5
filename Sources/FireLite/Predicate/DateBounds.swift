import FireLiteCore

/// The interval that a date or time literal names, in the form in which tables keep dates: UTC text without a zone.
///
/// `2020-06` names June 2020: `[2020-06, 2020-07)`. A literal without a zone is read as UTC. The text of a stored date is never greater
/// than the text of a later one, and of the texts with the same start the shortest is the least. So a comparison with the shortest text
/// of a bound is a comparison of moments.
package struct DateBounds: Sendable, Hashable {
    /// The literal in UTC, without its zone.
    package let text: String
    /// The shortest text that starts with the interval.
    package let lower: String
    /// The shortest text that starts at the end of the interval.
    package let upper: String

    /// A bound after every date and time.
    package static let beyond = ":"

    /// An interval of UTC texts; the shortest for both bounds.
    package init(text: String, lower: String, upper: String) { (self.text, self.lower, self.upper) = (text, lower, upper) }

    /// The interval of a `date`, `dateTime`, `instant` or `time` literal; nil for other text.
    package init?(_ literal: String) {
        guard let utc = ValueCodec.operand(ofTemporal: literal) else { return nil }
        text = utc
        if let time = TemporalSpan(utc, read: { $0.readTime() && $0.isAtEnd }) {
            lower = time.start.timeText
            upper = time.end.timeText
        } else if let span = Self.span(utc) {
            lower = Self.shortest(span.start)
            upper = Self.shortest(span.end)
        } else {
            return nil
        }
    }

    /// The interval of a date, with or without a time; nil for a time of day.
    package var span: TemporalSpan? { Self.span(text) }

    private static func span(_ utc: String) -> TemporalSpan? {
        TemporalSpan(utc) { $0.readDate() && $0.readPartialTime(atLeast: .second, endsAfterT: false) }
    }

    /// An interval in UTC, which begins within the years 1 to 9999 or after them.
    ///
    /// - Parameter precision: that of its literal.
    package init(_ start: TemporalSpan.Moment, _ end: TemporalSpan.Moment, _ precision: TemporalPrecision) {
        lower = Self.shortest(start)
        upper = Self.shortest(end)
        let whole = lower == Self.beyond ? lower : max(start, Self.years.first).text
        // Less precise dates that begin at the same moment are not within the interval, and their texts are less than this one.
        let length = precision == .year ? 4 : precision == .month ? 7 : 10
        text = precision <= .day && whole.hasSuffix("T00:00:00") ? String(whole.prefix(length)) : whole
    }

    /// The first moment of the years that FHIR has, and the one after them.
    private static let years = (
        first: TemporalSpan.Moment(minute: Calendar.daysSinceEpoch(year: 1, month: 1, day: 1) * 1_440),
        end: TemporalSpan.Moment(minute: Calendar.daysSinceEpoch(year: 10_000, month: 1, day: 1) * 1_440)
    )

    /// The shortest text of a moment in UTC.
    private static func shortest(_ moment: TemporalSpan.Moment) -> String {
        guard moment < years.end else { return beyond }
        let text = max(moment, years.first).text
        for (suffix, length) in [("-01-01T00:00:00", 4), ("-01T00:00:00", 7), ("T00:00:00", 10)] where text.hasSuffix(suffix) {
            return String(text.prefix(length))
        }
        return text
    }

    /// The texts of less precise dates whose intervals contain the moment `bound` but begin before it.
    static func wider(than bound: String) -> [String] {
        let length = bound.utf8.count
        let isTime = bound.utf8.dropFirst(2).first == UInt8(ascii: ":")
        var lengths = isTime ? [8] : [4, 7, 10, 19]
        let whole = isTime ? 8 : 19
        if length > whole + 2 { lengths += (whole + 2)..<length }
        return lengths.filter { $0 < length }.map { String(bound.prefix($0)) }
    }
}

import FireLite
import FireLiteCore
import Foundation

/// FHIR's dates with times, as moments.
enum TrustTime {
    /// The moment in UTC, with milliseconds.
    static func text(_ moment: Date) -> String {
        // A little more than the whole milliseconds, so that the style cannot cut it down to the one before.
        Date(timeIntervalSince1970: Double(moment.trustMilliseconds) / 1000 + 0.0001)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt))
    }

    /// The first moment of a date or time, and the first one after it; nil for other texts. A date without a zone is in UTC. A time with a fraction
    /// is one moment, as `text(_:)` writes them.
    static func bounds(_ text: String) -> (lower: Date, upper: Date)? {
        guard let span = FHIRDateTime(text)?.span?.utc else { return nil }
        let lower = Date(trustMilliseconds: span.start.date.trustMilliseconds)
        return (lower, span.hasFraction ? lower : span.end.date)
    }
}

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

    /// The first moment of a date or time, and the first one after it; nil for other texts. A date without a zone is in UTC.
    static func bounds(_ text: String) -> (lower: Date, upper: Date)? {
        // Foundation takes the 31st of February for the 2nd of March.
        guard FHIRDateTime(text) != nil else { return nil }
        if text.contains("T") {
            // A style without fractions reads times with fractions too, and drops them: a period would end a second late.
            let fraction = text.contains(".")
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fraction)
            guard let date = try? style.parse(text) else { return nil }
            let lower = Date(trustMilliseconds: date.trustMilliseconds)
            return (lower, fraction ? lower : lower.addingTimeInterval(1))
        }
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == text.split(separator: "-", omittingEmptySubsequences: false).count, 1...3 ~= parts.count else { return nil }
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let unit: Foundation.Calendar.Component = [.year, .month, .day][parts.count - 1]
        let components = DateComponents(
            year: parts[0], month: parts.count > 1 ? parts[1] : 1, day: parts.count > 2 ? parts[2] : 1)
        guard let lower = calendar.date(from: components), let upper = calendar.date(byAdding: unit, value: 1, to: lower) else {
            return nil
        }
        return (lower, upper)
    }
}

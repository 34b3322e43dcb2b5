import Foundation

/// Dates and waiting times in header fields (RFC 9110).
package enum HTTPDate {
    /// A date, `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else.
    package static func date(_ text: String?) -> Date? {
        guard let text else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text.trimmingCharacters(in: .whitespaces))
    }

    /// The value of `Retry-After`, seconds or a date, as a time from now; nil for anything else.
    package static func retryAfter(_ text: String?, now: Date) -> Duration? {
        guard let text = text?.trimmingCharacters(in: .whitespaces) else { return nil }
        // A year is more than anybody waits, and keeps the sum of durations in range.
        if let seconds = Int(text) { return seconds < 0 ? nil : .seconds(min(seconds, 31_536_000)) }
        guard let date = date(text) else { return nil }
        return .seconds(min(max(date.timeIntervalSince(now), 0), 31_536_000))
    }
}

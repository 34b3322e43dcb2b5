import FireLite
import FireLiteTerminal
import Foundation

/// What a date as a number counts.
enum DateNumbers: String, CaseIterable, Sendable {
    /// Seconds since 2001, the default of `JSONEncoder`.
    case secondsSince2001 = "2001"
    /// Seconds since 1970.
    case secondsSince1970 = "1970"
    /// Milliseconds since 1970.
    case millisecondsSince1970 = "1970-ms"

    /// The years from 1850 to 2149 in seconds since 1970; a number outside of them counts something else.
    private static let plausible = -3_786_825_600.0..<5_680_281_600

    /// The date in FHIR's form, in the zone of the offset; nil if the type or the number does not allow it.
    func literal(_ number: Double, as type: PrimitiveType, offset: String?) -> String? {
        let offset = offset ?? "Z"
        let milliseconds = self == .millisecondsSince1970 ? number.rounded() : (number * 1_000).rounded()
        let reference = self == .secondsSince2001 ? Date.timeIntervalBetween1970AndReferenceDate : 0
        let seconds = milliseconds / 1_000 + reference
        guard type != .time, Self.plausible.contains(seconds) else { return nil }
        let text = "\(FHIRInstant(Date(timeIntervalSince1970: seconds + Self.seconds(offset))))"
        guard text.hasSuffix("Z") else { return nil }
        guard type == .date else { return text.dropLast() + offset }
        // A day is its first moment; any other time belongs to no known day.
        let time = text.dropFirst(11).dropLast()
        return time.hasPrefix("00:00:00") && !time.contains { ("1"..."9").contains($0) } ? String(text.prefix(10)) : nil
    }

    /// What a number must be to become a date of the type, for a message; nil for a time, which no number means.
    func expectation(as type: PrimitiveType, offset: String?) -> String? {
        let unit =
            switch self {
            case .secondsSince2001: "seconds since 2001"
            case .secondsSince1970: "seconds since 1970"
            case .millisecondsSince1970: "milliseconds since 1970"
            }
        switch type {
        case .date:
            let zone = offset.map { $0 == "Z" ? "UTC" : "the offset \($0)" } ?? "UTC"
            return "a number of \(unit) that is midnight in \(zone) (--offset names another one, --date-numbers another unit)"
        case .dateTime, .instant: return "a number of \(unit) from 1850 to 2149 (--date-numbers names another unit)"
        default: return nil
        }
    }

    /// `+05:30` in seconds.
    private static func seconds(_ offset: String) -> Double {
        let parts = offset.dropFirst().split(separator: ":").compactMap { Double($0) }
        guard parts.count == 2 else { return 0 }
        return (offset.hasPrefix("-") ? -1 : 1) * (parts[0] * 3_600 + parts[1] * 60)
    }
}

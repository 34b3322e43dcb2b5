import FireLiteClient
import Foundation

extension HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A date as header fields have it (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ date: Date) -> String {
        var seconds = time_t(max(min(date.timeIntervalSince1970, 253_402_300_799), 0))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

/// Entity tags of versions (RFC 9110, 8.8.3; FHIR, RESTful API, Managing Resource Contention).
enum EntityTag {
    /// The weak tag of a version.
    static func text(_ version: Int64) -> String { "W/\"\(version)\"" }

    /// The versions that a field lists, or `*`. FHIR's clients write tags weak, strong and without quotation marks.
    static func versions(_ field: String) -> [String] {
        field.split(separator: ",").map { part in
            var text = HeaderElement.trimmed(part)
            if text.hasPrefix("W/") { text = String(text.dropFirst(2)) }
            return text.filter { $0 != "\"" }
        }.filter { !$0.isEmpty }
    }

    static func matches(_ field: String, _ version: Int64?) -> Bool {
        guard let version else { return false }
        let versions = versions(field)
        return versions.contains("*") || versions.contains(String(version))
    }
}

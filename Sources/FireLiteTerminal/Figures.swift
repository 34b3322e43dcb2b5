import FireLiteCore
import Foundation

/// Numbers for people to read.
package enum Figures {
    /// `1,234,567`.
    package static func count(_ number: Int) -> String {
        var digits = Array(String(number.magnitude))
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: position)
            position -= 3
        }
        return (number < 0 ? "-" : "") + String(digits)
    }

    /// `1 resource`, `1,234 resources`.
    ///
    /// - Parameters:
    ///   - noun: the word for one.
    ///   - nouns: the word for several; the same with an s unless given.
    package static func count(_ number: Int, _ noun: String, _ nouns: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? noun : nouns ?? noun + "s")"
    }

    /// `12 bytes`, `3.4 KB`, `5.6 MB`: powers of 1,000.
    package static func bytes(_ number: Int) -> String {
        let units = ["KB", "MB", "GB", "TB"]
        guard number >= 1_000 else { return number == 1 ? "1 byte" : "\(number) bytes" }
        var value = Double(number) / 1_000
        var unit = 0
        while value >= 999.95, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return String(format: "%.1f ", value) + units[unit]
    }

    /// `2026-05-01T09:00:00.000Z`; milliseconds since 1970 for a moment in a damaged file that no calendar has.
    ///
    /// ISO 8601 has a year 0, FHIR does not. The first day of the year 1 begins in it, in zones east of Greenwich.
    package static func moment(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        // The years 0 to 9999.
        guard (-62_167_219_200..<253_402_300_799).contains(seconds) else { return milliseconds(seconds) }
        guard seconds < -62_135_596_800 else { return FHIRInstant(date).literal }
        // Every 400 years the Gregorian calendar has the same days.
        return "0000" + FHIRInstant(date.addingTimeInterval(146_097 * 86_400)).literal.dropFirst(4)
    }

    /// Milliseconds since 1970 in digits; the end of the range for a number at or beyond it, which seconds do not have exactly.
    private static func milliseconds(_ seconds: Double) -> String {
        Int64(exactly: (seconds * 1_000).rounded()).map { "\($0)" } ?? "\(seconds < 0 ? Int64.min : Int64.max)"
    }

    /// `0.12`, `45.60`: seconds.
    package static func seconds(_ duration: Duration, decimals: Int = 2) -> String { String(format: "%.\(decimals)f", duration.seconds) }

    /// `12 s`, `3 min 5 s`, `1 h 2 min`.
    package static func remaining(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 360_000 else { return "a long time" }
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole / 60 % 60) min"
    }
}

extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
    package var milliseconds: Double { seconds * 1_000 }
}

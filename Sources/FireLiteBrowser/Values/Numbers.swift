import FireLiteCore
import FireLiteTerminal
import Foundation

/// Numbers as a person reads them.
enum Numbers {
    /// `1,234,567`.
    static func count(_ number: Int) -> String { Figures.count(number) }

    /// `1 row`, `2 rows`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String { "\(count(number)) \(number == 1 ? one : many)" }

    /// `1 second`, `0.5 seconds`.
    static func seconds(_ time: Duration) -> String {
        let milliseconds = Int(time / .milliseconds(1))
        if milliseconds == 1_000 { return "1 second" }
        return milliseconds % 1_000 == 0 ? "\(count(milliseconds / 1_000)) seconds" : "\(Double(milliseconds) / 1_000) seconds"
    }

    /// `12 bytes`, `3.4 KB`.
    static func bytes(_ number: Int) -> String { Figures.bytes(number) }

    /// A moment in UTC, to the second, in the years that FHIR knows, 0001 to 9999.
    static func time(_ date: Date) -> String {
        let text = FHIRInstant(min(max(date, years.lowerBound), years.upperBound)).literal
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    private static let years = Date(timeIntervalSince1970: -62_135_596_800)...Date(timeIntervalSince1970: 253_402_300_799)

    /// A text of a bounded length, with an ellipsis and the whole size if it was longer.
    static func clipped(_ text: String, _ limit: Int) -> String {
        // Counting the characters of a megabyte takes long; its bytes are known.
        guard text.utf8.count > limit else { return text }
        var end = text.unicodeScalars.startIndex
        var count = 0
        while count < limit, end < text.unicodeScalars.endIndex {
            text.unicodeScalars.formIndex(after: &end)
            count += 1
        }
        guard end < text.unicodeScalars.endIndex else { return text }
        return String(text[..<end]) + "… (\(bytes(text.utf8.count)))"
    }
}

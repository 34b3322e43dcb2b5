import FireLiteCore
import TestSupport
import Testing

@testable import FireLiteFHIRPath

/// Dates and times are written as they were read.
@Suite struct TemporalTextTests {
    private static func text(_ number: Int, _ digits: Int) -> String {
        String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }

    @Test func textsAreWrittenAsTheyWereRead() throws {
        try withEvery(0..<2_000) { seed in
            var random = SeededGenerator(seed: seed)
            var date = Self.text(random.int(1...9999), 4)
            let parts = random.int(0...3)
            if parts > 0 { date += "-" + Self.text(random.int(1...12), 2) }
            if parts > 1 { date += "-" + Self.text(random.int(1...28), 2) }
            var time = [random.int(0...23), random.int(0...59), random.int(0...59)].map { Self.text($0, 2) }.joined(separator: ":")
            let digits = random.int(0...9)
            if digits > 0 { time += "." + (0..<digits).map { _ in "\(random.int(0...9))" }.joined() }
            let zone = random.pick(["", "Z", "+00:00", "-00:30", "+14:00", "-11:45"])
            let kinds: [(PathTemporal.Kind, String)] = [
                (.date, date), (.time, time), (.dateTime, parts < 3 ? date : "\(date)T\(time)\(zone)"),
            ]
            for (kind, text) in kinds {
                let value = try #require(PathTemporal(text: text, kind), "\(text)")
                try #require(value.text == text)
            }
        }
    }

    @Test func yearsBeyondFourDigitsAreWritten() throws {
        var value = try #require(PathTemporal(text: "2020-01-02", .date))
        value.year = 12_345
        #expect(value.text == "12345-01-02")
        value.year = -5
        #expect(value.text == "00-5-01-02")
    }
}

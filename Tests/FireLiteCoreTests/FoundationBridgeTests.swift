import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// To and from Foundation's types: whole, or nil.
@Suite struct FoundationBridgeTests {
    // MARK: - DateComponents

    @Test func componentsOfLiteralsReadBack() throws {
        try withEvery(0..<2_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let date = "\(generator.pick(["0001", "1582", "1900", "2024", "9999"]))-0\(generator.int(1...9))-\(generator.int(10...28))"
            let fraction = generator.pick(["", ".5", ".123", ".123456", ".123456789"])
            let time = "\(generator.int(10...23)):\(generator.int(10...59)):\(generator.int(10...60))\(fraction)"
            let zone = generator.pick(["Z", "+14:00", "-14:00", "+05:45", "-03:30"])
            for literal in [String(date.prefix(4)), String(date.prefix(7)), date] {
                let (one, two) = (try #require(FHIRDate(literal)), try #require(FHIRDateTime(literal)))
                try #require(FHIRDate(one.dateComponents) == one && FHIRDateTime(two.dateComponents) == two)
                try #require(FHIRInstant(one.dateComponents) == nil && FHIRTime(one.dateComponents) == nil)
            }
            let instant = try #require(FHIRInstant("\(date)T\(time)\(zone)"))
            try #require(FHIRInstant(instant.dateComponents) == instant)
            try #require(FHIRDateTime(instant.dateComponents)?.literal == instant.literal)
            try #require(FHIRDate(instant.dateComponents) == nil && FHIRTime(instant.dateComponents) == nil)
            let clock = try #require(FHIRTime(time))
            try #require(FHIRTime(clock.dateComponents) == clock)
            try #require(FHIRDate(clock.dateComponents) == nil && FHIRDateTime(clock.dateComponents) == nil)
        }
    }

    @Test func componentsHaveTheFieldsOfTheLiteral() {
        let month = FHIRDate("1970-03").dateComponents
        #expect(month == DateComponents(year: 1_970, month: 3))
        let moment = FHIRDateTime("2024-02-29T23:59:60.25-03:30").dateComponents
        #expect(moment.year == 2_024 && moment.month == 2 && moment.day == 29 && moment.hour == 23 && moment.minute == 59)
        #expect(moment.second == 60 && moment.nanosecond == 250_000_000 && moment.timeZone?.secondsFromGMT() == -12_600)
        #expect(FHIRInstant(_storage: .text("soon")).dateComponents == DateComponents())
    }

    @Test func componentsThatAreNoValueAreNil() throws {
        let dates: [DateComponents] = [
            DateComponents(), DateComponents(month: 3), DateComponents(year: 2_023, month: 2, day: 29), DateComponents(year: 2_023, day: 1),
            DateComponents(year: 0), DateComponents(year: 10_000), DateComponents(year: 2_023, month: 13), DateComponents(era: 0, year: 44),
            DateComponents(calendar: Calendar(identifier: .hebrew), year: 5_784), DateComponents(timeZone: .gmt, year: 2_023),
            DateComponents(year: 2_023, month: 1, day: 1, hour: 10), DateComponents(year: 2_023, month: 1, day: 1, nanosecond: 5),
            DateComponents(year: -1, month: 1, day: 1), DateComponents(year: 2_023, month: -1, day: 1),
        ]
        for components in dates { #expect(FHIRDate(components) == nil && FHIRDateTime(components) == nil, "\(components)") }
        func moment(_ change: (inout DateComponents) -> Void) -> DateComponents {
            var components = DateComponents(timeZone: .gmt, year: 2_023, month: 1, day: 1, hour: 10, minute: 0, second: 0)
            change(&components)
            return components
        }
        #expect(FHIRInstant(moment { _ in })?.literal == "2023-01-01T10:00:00Z")
        let changes: [(inout DateComponents) -> Void] = [
            { $0.timeZone = nil }, { $0.second = nil }, { $0.minute = nil }, { $0.hour = nil }, { $0.hour = 24 }, { $0.minute = 60 },
            { $0.second = 61 }, { $0.nanosecond = 1_000_000_000 }, { $0.nanosecond = -1 }, { $0.day = nil }, { $0.month = nil },
            { $0.timeZone = TimeZone(secondsFromGMT: 15 * 3_600) }, { $0.timeZone = TimeZone(secondsFromGMT: 90) },
        ]
        for (number, change) in changes.enumerated() {
            #expect(FHIRInstant(moment(change)) == nil && FHIRDateTime(moment(change)) == nil, "change \(number)")
        }
    }

    /// A named zone has the offset of the time; a time that clocks leave out is none.
    @Test func namedZonesHaveTheirOffset() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        func literal(_ month: Int, _ day: Int, _ hour: Int) -> String? {
            FHIRDateTime(
                DateComponents(timeZone: berlin, year: 2_024, month: month, day: day, hour: hour, minute: 30, second: 0))?.literal
        }
        #expect(literal(1, 15, 12) == "2024-01-15T12:30:00+01:00")
        #expect(literal(7, 15, 12) == "2024-07-15T12:30:00+02:00")
        #expect(literal(3, 31, 2) == nil)
    }

    // MARK: - Numbers

    @Test func decimalsKeepTheirDigits() throws {
        let dose: FHIRDecimal = "1.50"
        #expect(dose.literal == "1.50" && (1.50 as FHIRDecimal).literal == "1.5")
        #expect(FHIRDecimal(Decimal(string: "12345678901234567890.123") ?? 0).literal == "12345678901234567890.123")
        #expect(FHIRDecimal(Int.min).literal == "\(Int.min)" && FHIRDecimal(-7).literal == "-7" && FHIRDecimal(0).literal == "0")
        try withEvery(0..<500) { seed in
            var generator = SeededGenerator(seed: seed)
            let number = Decimal(generator.int(-999_999_999...999_999_999)) / pow(10, generator.int(0...9))
            try #require(FHIRDecimal(number).decimalValue == number)
        }
    }

    // MARK: - Data and URL

    @Test func base64ReadsBack() throws {
        try withEvery(0..<300) { seed in
            var generator = SeededGenerator(seed: seed)
            let data = Data((0..<generator.int(0...70)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
            let text = data.fhirBase64
            try #require(Data(fhirBase64: text) == data)
            let broken = text.enumerated().map { ($0.offset % 20 == 19 ? "\r\n \t" : "") + String($0.element) }.joined() + "\n"
            try #require(Data(fhirBase64: broken) == data)
        }
        for text in ["a", "=", "ab\u{0}c", "####", "abcd!", "äbcd", "YQ==YQ==x"] { #expect(Data(fhirBase64: text) == nil, "\(text)") }
        let attachment = Attachment { $0.data = Data("a PDF".utf8).fhirBase64 }
        #expect(attachment.data.flatMap { Data(fhirBase64: $0) } == Data("a PDF".utf8))
    }

    @Test func urlsAreTheTextOrNil() {
        for text in ["http://example.org/fhir/Patient/1?a=b%20c#d", "urn:uuid:c757873d-ec9a-4326-a141-556f43239520", "Patient/1", "#a"] {
            #expect(URL(fhirURI: text)?.fhirURI == text)
        }
        for text in ["", "http://example.org/a b", "http://exämple.org/", "http://example.org/a|1.0"] {
            #expect(URL(fhirURI: text) == nil, "\(text)")
        }
    }
}

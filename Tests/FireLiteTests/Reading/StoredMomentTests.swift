import FireLiteCore
import TestSupport
import Testing

@testable import FireLite

/// Moments as tables keep them, in UTC and without a zone.
@Suite struct StoredMomentTests {
    /// What the scanner of all dates and times says.
    private static func scanned(_ text: String) -> TemporalWord? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = TemporalScanner(bytes: bytes)
            guard scanner.readDate(), scanner.readLocalTime(), scanner.fractionDigits <= 3 else { return nil }
            return scanner.word
        }
    }

    private static func read(_ text: String) -> TemporalWord? {
        var text = text
        return text.withUTF8 { TemporalWord.readStored($0) }
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    @Test func theShortWayReadsWhatTheLongOneDoes() throws {
        var valid = 0
        let seeds = Effort.seeds(20_000)
        try withEvery(seeds) { seed in
            var random = SeededGenerator(seed: seed)
            var text = Self.digits(random.int(0...9_999), 4) + "-" + Self.digits(random.int(0...13), 2)
            text += "-" + Self.digits(random.int(0...32), 2) + "T" + Self.digits(random.int(0...24), 2)
            text += ":" + Self.digits(random.int(0...60), 2) + ":" + Self.digits(random.int(0...61), 2)
            if random.percent(60) { text += "." + Self.digits(random.int(0...999), random.int(1...4)) }
            if random.percent(40) {
                var bytes = Array(text.utf8)
                bytes[random.int(0...bytes.count - 1)] = random.pick(Array("0159-:.TZ /a".utf8))
                text = String(decoding: bytes, as: UTF8.self)
            }
            let word = Self.read(text)
            try #require(word == Self.scanned(text), "\(text)")
            if word != nil { valid += 1 }
        }
        #expect(valid > seeds.count / 4)
    }

    /// A changed file may have any number beside a moment.
    @Test func numbersThatAreNoOffsetAreRefused() throws {
        let stored = try #require(Self.read("2020-05-17T10:00:00"))
        let greatest = TemporalWord.maximumZoneMinutes
        for minutes in [Int.min, .min + 1, -greatest - 1, greatest + 1, .max] {
            #expect(TemporalCell.join(stored, .minutes(minutes)) == nil)
        }
        #expect(TemporalCell.join(stored, .minutes(greatest))?.text == "2020-05-18T00:00:00+14:00")
        #expect(TemporalCell.join(stored, .minutes(-greatest))?.text == "2020-05-16T20:00:00-14:00")
        #expect(ValueCodec.literal(.text("2020-05-17T10:00:00"), aside: .integer(.min), .dateTime) == "2020-05-17T10:00:00")
    }
}

import FireLiteCore
import Foundation
import TestSupport
import Testing

/// Dates and times keep their literal, and mean what Foundation's calendar says.
@Suite struct TemporalTests {
    private static let utc: Foundation.Calendar = {
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar
    }()

    private func read(_ literal: String, _ type: PrimitiveType) -> TemporalLiteral {
        var literal = literal
        return literal.withUTF8 { TemporalWord.read($0, as: type) }
    }

    private func parse(_ literal: String, _ type: PrimitiveType) -> TemporalWord? {
        guard case .word(let word) = read(literal, type) else { return nil }
        return word
    }

    private func padded(_ number: Int, _ digits: Int = 2) -> String {
        String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }

    // MARK: - The calendar

    @Test func everyDayFollowsTheOneBefore() throws {
        var days = FireLiteCore.Calendar.daysSinceEpoch(year: 1, month: 1, day: 1)
        #expect(days == -719_162)
        for year in 1...9_999 where year < 420 || (1_890...2_110).contains(year) || year > 9_990 || year % 100 == 0 {
            days = FireLiteCore.Calendar.daysSinceEpoch(year: year, month: 1, day: 1)
            let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                try #require(FireLiteCore.Calendar.days(inMonth: month + 1, of: year) == length)
                for day in 1...length {
                    try #require(FireLiteCore.Calendar.daysSinceEpoch(year: year, month: month + 1, day: day) == days)
                    try #require(FireLiteCore.Calendar.date(daysSinceEpoch: days) == (year, month + 1, day))
                    days += 1
                }
            }
        }
        #expect(FireLiteCore.Calendar.daysSinceEpoch(year: 9_999, month: 12, day: 31) == 2_932_896)
    }

    // MARK: - Literals

    @Test func everyDateLiteral() throws {
        for year in [1, 4, 99, 100, 999, 1_582, 1_900, 1_970, 2_000, 2_023, 2_024, 9_999] {
            let yearText = padded(year, 4)
            for type in [PrimitiveType.date, .dateTime] { try #require(parse(yearText, type)?.text == yearText) }
            for month in 0...13 {
                let monthText = "\(yearText)-\(padded(month))"
                let isMonth = (1...12).contains(month)
                try #require((parse(monthText, .date) != nil) == isMonth)
                for day in 0...32 {
                    let text = "\(monthText)-\(padded(day))"
                    let components = DateComponents(year: year, month: month, day: day)
                    // Foundation counts by the Julian calendar before 1582, FHIR does not; this century has the same leap years.
                    let probe = DateComponents(year: year % 400 + 2_000, month: month, day: day)
                    let isValid = probe.isValidDate(in: Self.utc)
                    try #require((parse(text, .date) != nil) == isValid, "\(text)")
                    guard isValid, let word = parse(text, .dateTime) else { continue }
                    try #require(word.text == text)
                    try #require(word.year == components.year && word.month == month && word.day == day && !word.hasTime)
                }
            }
        }
    }

    @Test func everyTimeLiteral() throws {
        for hour in 0...25 {
            for minute in [0, 1, 9, 10, 30, 59, 60, 99] {
                for second in [0, 1, 59, 60, 61] {
                    let text = "\(padded(hour)):\(padded(minute)):\(padded(second))"
                    let isValid = hour < 24 && minute < 60 && second <= 60
                    try #require((parse(text, .time) != nil) == isValid, "\(text)")
                    try #require((parse("2020-02-29T\(text)Z", .instant) != nil) == isValid)
                    guard let word = parse(text, .time) else { continue }
                    try #require(word.text == text && word.hour == hour && word.minute == minute && word.second == second)
                }
            }
        }
    }

    @Test func everyZone() throws {
        for total in -900...900 {
            for sign in total == 0 ? ["+", "-"] : [total < 0 ? "-" : "+"] {
                let zone = "\(sign)\(padded(abs(total) / 60)):\(padded(abs(total) % 60))"
                let text = "2021-12-31T23:59:59.9\(zone)"
                let isValid = abs(total) <= 840
                try #require((parse(text, .dateTime) != nil) == isValid, "\(text)")
                guard let word = parse(text, .instant) else { continue }
                try #require(word.text == text && word.zoneMinutes == total)
                try #require(FHIRDateTime(text)?.offsetMinutes == total)
            }
        }
        #expect(parse("2021-12-31T23:59:59Z", .instant)?.zoneMinutes == 0)
        #expect(parse("23:59:59", .time)?.zoneMinutes == nil)
        #expect(parse("2021", .dateTime)?.zoneMinutes == nil)
    }

    @Test func everyFraction() throws {
        for fraction in (0..<1_000).map({ padded($0, 3) }) + (0..<100).map({ padded($0) }) + (0..<10).map({ "\($0)" }) {
            for (text, type) in [("12:30:45.\(fraction)", PrimitiveType.time), ("2020-01-01T12:30:45.\(fraction)+01:00", .instant)] {
                let word = try #require(parse(text, type))
                try #require(word.text == text && word.fractionDigits == fraction.count && word.fraction == Int(fraction))
            }
        }
        for digits in 4...30 {
            let text = "2020-01-01T12:30:45.\(String(repeating: "123456789", count: 4).prefix(digits))Z"
            guard case .text = read(text, .instant) else {
                Issue.record("\(text) should stay text")
                continue
            }
            #expect(FHIRInstant(text)?.literal == text)
            #expect(FHIRInstant(text)?.second == 45)
        }
    }

    static let invalid: [(String, PrimitiveType)] = [
        ("", .date), ("20", .date), ("202", .date), ("20200", .date), ("0000", .date), ("-2020", .date), ("+2020", .date), ("2020-", .date),
        ("2020-1", .date),
        ("2020-01-", .date), ("2020-01-1", .date), ("2020-02-30", .date), ("2021-02-29", .date), ("1900-02-29", .date),
        ("2020-04-31", .date),
        ("2020/01/01", .date), ("2020-01-01 ", .date), (" 2020", .date), ("2020-01-01T", .date), ("2020-01-01T00:00:00Z", .date),
        ("２０２０", .date),
        ("2020-01T00:00:00Z", .dateTime), ("2020T00:00:00Z", .dateTime), ("2020-01-01T00:00Z", .dateTime),
        ("2020-01-01T00:00:00", .dateTime),
        ("2020-01-01 00:00:00Z", .dateTime), ("2020-01-01t00:00:00Z", .dateTime), ("2020-01-01T00:00:00z", .dateTime),
        ("2020-01-01T24:00:00Z", .dateTime),
        ("2020-01-01T00:00:00.Z", .dateTime), ("2020-01-01T00:00:00+1:00", .dateTime), ("2020-01-01T00:00:00+0100", .dateTime),
        ("2020-01-01T00:00:00+01", .dateTime), ("2020-01-01T00:00:00+14:01", .dateTime), ("2020-01-01T00:00:00ZZ", .dateTime),
        ("2020-01-01T00:00:00+01:60", .dateTime), ("2020-01-01T00:00:00,5Z", .dateTime),
        ("2020", .instant), ("2020-01-01", .instant), ("2020-01", .instant), ("2020-01-01T00:00:00", .instant),
        ("12:30", .time), ("12", .time), ("12:30:45Z", .time), ("12:30:45+01:00", .time), ("12:30:45.", .time), ("1:30:45", .time),
        ("T12:30:45", .time),
        ("2020-01-01", .time), ("24:00:00", .time), ("12:30:61", .time), ("12:60:00", .time),
    ]

    @Test(arguments: invalid)
    func malformedLiteralsAreRefused(_ text: String, _ type: PrimitiveType) {
        guard case .invalid = read(text, type) else {
            Issue.record("\(text) is no \(type)")
            return
        }
        #expect(SlotValue(literal: text, type) == nil)
    }

    // MARK: - Meaning

    @Test func momentsAreThoseOfFoundation() throws {
        try withEvery(0..<3_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let offset = generator.pick([0, 0, 60, -210, 840, -720, 345])
            var parts = DateComponents()
            parts.timeZone = TimeZone(secondsFromGMT: offset * 60)
            (parts.year, parts.month, parts.day) = (generator.int(1_600...9_998), generator.int(1...12), generator.int(1...28))
            (parts.hour, parts.minute, parts.second) = (generator.int(0...23), generator.int(0...59), generator.int(0...59))
            let milliseconds = generator.int(0...999)
            let zone = offset == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(padded(abs(offset) / 60)):\(padded(abs(offset) % 60))"
            let day = "\(padded(parts.year ?? 0, 4))-\(padded(parts.month ?? 0))-\(padded(parts.day ?? 0))"
            let text =
                "\(day)T\(padded(parts.hour ?? 0)):\(padded(parts.minute ?? 0)):\(padded(parts.second ?? 0)).\(padded(milliseconds, 3))\(zone)"
            let instant = try #require(FHIRInstant(text))
            let expected = try #require(Self.utc.date(from: parts)?.addingTimeInterval(Double(milliseconds) / 1_000))
            try #require(abs(instant.date.timeIntervalSince(expected)) < 0.000_5)
            try #require(FHIRDateTime(text)?.date == instant.date)
            // As SQL sees it.
            let shifted = try #require(parse(text, .instant)?.shifted(minutes: -offset))
            try #require(shifted.replacing(zone: TemporalWord.zoneUTC).text == FHIRInstant(expected).literal)
            // And back, in UTC.
            let back = FHIRInstant(instant.date)
            try #require(offset != 0 || back == instant)
            try #require(abs(back.date.timeIntervalSince(instant.date)) < 0.000_1)
            try #require(back.literal.hasSuffix("Z") && FHIRInstant(back.literal) == back)
        }
    }

    @Test func partsOfPartialDates() {
        let year: FHIRDate = "1974"
        let month: FHIRDateTime = "1974-12"
        let day: FHIRDate = "1974-12-25"
        let moment: FHIRDateTime = "1974-12-25T14:35:45.123456789-05:00"
        let time: FHIRTime = "14:35:45.5"
        #expect((year.year, year.month, year.day) == (1_974, nil, nil))
        #expect((month.year, month.month, month.day) == (1_974, 12, nil))
        #expect((day.year, day.month, day.day, day.offsetMinutes) == (1_974, 12, 25, nil))
        #expect((moment.hour, moment.minute, moment.second, moment.offsetMinutes) == (14, 35, 45, -300))
        #expect((time.hour, time.minute, time.second, time.year) == (14, 35, 45, nil))
        #expect(year.date == Date(timeIntervalSince1970: 126_230_400))
        #expect(month.date == Date(timeIntervalSince1970: 155_088_000))
        #expect(moment.literal == "1974-12-25T14:35:45.123456789-05:00")
        #expect(FHIRDate(year: 1_974) == year)
        #expect(FHIRDate(year: 1_974, month: 12, day: 25) == day)
        #expect(FHIRDate(year: 2_023, month: 2, day: 29) == nil)
        #expect(FHIRDate(year: 0) == nil)
        #expect(FHIRDate(year: 1_974, day: 1) == nil)
        #expect(FHIRInstant(Date(timeIntervalSince1970: 0)).literal == "1970-01-01T00:00:00.000Z")
        #expect(FHIRInstant(Date(timeIntervalSince1970: -0.001)).literal == "1969-12-31T23:59:59.999Z")
        #expect(FHIRInstant("2016-12-31T23:59:60Z").date == FHIRInstant("2017-01-01T00:00:00Z").date)
    }

    @Test func equalityIsThatOfLiterals() {
        let utc: FHIRInstant = "2020-01-01T00:00:00Z"
        let paris: FHIRInstant = "2020-01-01T01:00:00+01:00"
        #expect(utc != paris)
        #expect(utc.date == paris.date)
        #expect(utc != "2020-01-01T00:00:00+00:00")
        #expect(utc != "2020-01-01T00:00:00.0Z")
        #expect(("2020-01-01T00:00:00-00:00" as FHIRInstant).literal == "2020-01-01T00:00:00-00:00")
        #expect(Set([utc, utc, paris]).count == 2)
    }
}

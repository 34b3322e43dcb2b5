import FireLiteCore
import Foundation
import TestSupport
import Testing

/// The order of dates and times, against a model that tries every zone and counts days one by one.
@Suite struct TemporalOrderTests {
    // MARK: - The model

    /// A place in time: a minute and the seconds in it.
    private typealias Place = (minute: Int, second: Decimal)

    /// The number of a day, counted from year 1 by adding years and months.
    private static let yearStarts: [Int] = {
        var starts = [0, 0]
        for year in 1...10_000 { starts.append(starts[year] + (isLeap(year) ? 366 : 365)) }
        return starts
    }()

    private static func isLeap(_ year: Int) -> Bool { year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) }

    private static func lengths(_ year: Int) -> [Int] { [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] }

    /// The first and the last place of a literal, if it is at an offset where it names none.
    private func places(_ literal: String, defaultOffset: Int) -> (first: Place, last: Place) {
        let halves = literal.split(separator: "T")
        let date = literal.contains(":") && halves.count == 1 ? [] : halves[0].split(separator: "-").compactMap { Int($0) }
        var day = 0
        var length = 0
        if let year = date.first {
            let months = Self.lengths(year)
            day = Self.yearStarts[year]
            if date.count > 1 { day += months[..<(date[1] - 1)].reduce(0, +) }
            if date.count > 2 { day += date[2] - 1 }
            length = date.count > 2 ? 1 : date.count > 1 ? months[date[1] - 1] : months.reduce(0, +)
        }
        guard literal.contains(":") else {
            let start = day * 1_440 - defaultOffset
            return ((start, 0), (start + length * 1_440 - 1, 99))
        }
        var clock = String(halves[halves.count - 1])
        var offset = defaultOffset
        if clock.hasSuffix("Z") {
            clock.removeLast()
            offset = 0
        } else if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let parts = clock[clock.index(after: sign)...].split(separator: ":").compactMap { Int($0) }
            offset = (clock[sign] == "-" ? -1 : 1) * (parts[0] * 60 + parts[1])
            clock = String(clock[..<sign])
        }
        let parts = clock.split(separator: ":")
        let minute = day * 1_440 + (Int(parts[0]) ?? 0) * 60 + (Int(parts[1]) ?? 0) - offset
        let place: Place = (minute, Decimal(string: String(parts[2])) ?? 0)
        return (place, place)
    }

    private func hasZone(_ literal: String) -> Bool {
        literal.contains(":") && literal.contains("T") && literal.firstMatch(of: /(Z|[+-]\d\d:\d\d)$/) != nil
    }

    /// What holds of two literals in every zone that either may be in.
    private func modeled(_ left: String, _ right: String) -> FHIRTemporalOrder? {
        let isMixed = hasZone(left) != hasZone(right)
        let offsets = isMixed ? Array(stride(from: -840, through: 840, by: 15)) : [0]
        var found: Set<FHIRTemporalOrder?> = []
        for offset in offsets {
            let (first, second) = (places(left, defaultOffset: offset), places(right, defaultOffset: offset))
            if first.last < second.first {
                found.insert(.before)
            } else if second.last < first.first {
                found.insert(.after)
            } else {
                found.insert(first.first == second.first && first.last == second.last ? .same : nil)
            }
        }
        return found.count == 1 ? found.first ?? nil : nil
    }

    // MARK: - Random literals

    private func padded(_ number: Int, _ digits: Int = 2) -> String {
        String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }

    private func date(_ generator: inout SeededGenerator, isWhole: Bool = false) -> String {
        let year = generator.pick([1, 2, 1_899, 1_900, 1_999, 2_000, 2_019, 2_020, 9_998, 9_999])
        let month = generator.pick([1, 2, 3, 12])
        let length = Self.lengths(year)[month - 1]
        let day = generator.pick([1, 2, length - 1, length])
        switch isWhole ? 2 : generator.int(0...2) {
        case 0: return padded(year, 4)
        case 1: return "\(padded(year, 4))-\(padded(month))"
        default: return "\(padded(year, 4))-\(padded(month))-\(padded(day))"
        }
    }

    private func time(_ generator: inout SeededGenerator) -> String {
        let fraction = generator.pick([
            "", "", ".0", ".5", ".50", ".500000000", ".5000000001", ".50000000010", ".4999999999999", ".1234567",
        ])
        return generator.pick(["00:00", "00:01", "10:00", "12:30", "13:59", "14:00", "23:59"])
            + generator.pick([":00", ":01", ":59", ":60"])
            + fraction
    }

    private func instant(_ generator: inout SeededGenerator) -> String {
        date(&generator, isWhole: true) + "T" + time(&generator)
            + generator.pick(["Z", "Z", "+00:00", "-00:00", "+14:00", "-14:00", "+05:45", "-03:30", "+01:00"])
    }

    /// One literal and another that is near it more often than not.
    private func pair(_ generator: inout SeededGenerator, _ make: (inout SeededGenerator) -> String) -> (String, String) {
        let left = make(&generator)
        var right = make(&generator)
        if generator.percent(60) { right = String(left.prefix(4)) + right.dropFirst(4) }
        if generator.percent(40), right.count > 7, left.count > 7 { right = String(left.prefix(7)) + right.dropFirst(7) }
        if generator.percent(30), right.count > 9, left.count > 9 { right = String(left.prefix(10)) + right.dropFirst(10) }
        return (left, right)
    }

    // MARK: - Tests

    @Test func orderIsWhatHoldsInEveryZone() throws {
        var counts: [FHIRTemporalOrder?: Int] = [:]
        try withEvery(Effort.seeds(byDay: 1_500, atNight: 12_000)) { seed in
            var generator = SeededGenerator(seed: seed)
            let (left, right) = pair(&generator) { $0.percent(50) ? date(&$0) : instant(&$0) }
            // The splice above may make a day that is none, as the 29th of another February.
            guard let first = FHIRDateTime(left), let second = FHIRDateTime(right) else { return }
            let order = first.compare(to: second)
            try #require(order == modeled(left, right), "\(left) and \(right)")
            let mirrored: FHIRTemporalOrder? = order == .before ? .after : order == .after ? .before : order
            try #require(second.compare(to: first) == mirrored, "\(right) and \(left)")
            try #require(first.isBefore(second) == order.map { $0 == .before })
            try #require(first.isAfter(second) == order.map { $0 == .after })
            try #require(first.isSame(as: second) == order.map { $0 == .same })
            try #require(first.compare(to: first) == .same)
            counts[order, default: 0] += 1
        }
        for order in [FHIRTemporalOrder.before, .same, .after, nil] { #expect(counts[order, default: 0] > Effort.count(50), "\(counts)") }
    }

    /// A date, a dateTime and an instant with one literal are one time.
    @Test func typesOfOneLiteralAreOneTime() throws {
        try withEvery(0..<500) { seed in
            var generator = SeededGenerator(seed: seed)
            let (day, moment) = (date(&generator), instant(&generator))
            let (one, two, three) = (try #require(FHIRDate(day)), try #require(FHIRDateTime(day)), try #require(FHIRDateTime(moment)))
            let four = try #require(FHIRInstant(moment))
            try #require(one.compare(to: two) == .same && three.compare(to: four) == .same)
            try #require(one.compare(to: four) == modeled(day, moment) && four.compare(to: two) == modeled(moment, day))
        }
    }

    @Test func timesAreInTheOrderOfTheDay() throws {
        try withEvery(0..<2_000) { seed in
            var generator = SeededGenerator(seed: seed)
            let (left, right) = (time(&generator), time(&generator))
            let (first, second) = (try #require(FHIRTime(left)), try #require(FHIRTime(right)))
            let order = first.compare(to: second)
            try #require(order == modeled(left, right), "\(left) and \(right)")
            try #require(order != nil)
            if order != .same { try #require((first < second) == (order == .before), "\(left) and \(right)") }
        }
    }

    /// `<` of instants and times is a total order that agrees with `==`, and with time wherever two are not the same moment.
    @Test func comparableTypesAreTotallyOrdered() throws {
        var generator = SeededGenerator(seed: 1)
        let count = Effort.isNightly ? 140 : 40
        let instants = (0..<count).compactMap { _ in FHIRInstant(instant(&generator)) }
        expectTotalOrder(instants)
        expectTotalOrder((0..<count).compactMap { _ in FHIRTime(time(&generator)) })
        let sorted = instants.sorted()
        for (first, second) in zip(sorted, sorted.dropFirst()) { #expect(first.compare(to: second) != .after) }
    }

    private func expectTotalOrder<Value: FHIRTemporal & Comparable>(_ values: [Value]) {
        var broken: [String] = []
        for one in values {
            for two in values {
                if [one < two, one == two, two < one].filter({ $0 }).count != 1 { broken.append("\(one) and \(two)") }
                if one < two { for three in values where two < three && !(one < three) { broken.append("\(one), \(two), \(three)") } }
            }
        }
        #expect(broken.isEmpty)
    }

    /// Cases that FHIRPath's page names, and zones and years at the ends of what FHIR allows.
    @Test func examples() {
        #expect(FHIRDate("2018").compare(to: FHIRDate("2018-03")) == nil)
        #expect(FHIRDate("2018").compare(to: FHIRDate("2019-03")) == .before)
        #expect(FHIRDate("2018-03").compare(to: FHIRDate("2018-03")) == .same)
        #expect(FHIRDateTime("2018-03-01T10:30:00Z").compare(to: FHIRDateTime("2018-03-01T10:30:00.0Z")) == .same)
        #expect(FHIRDateTime("2018-03-01").compare(to: FHIRDateTime("2018-03-01T10:30:00Z")) == nil)
        #expect(FHIRDateTime("2018-03-01").compare(to: FHIRDateTime("2018-03-02T13:59:59Z")) == nil)
        #expect(FHIRDateTime("2018-03-01").compare(to: FHIRDateTime("2018-03-02T14:00:00Z")) == .before)
        #expect(FHIRInstant("2015-02-07T13:28:17+01:00").isSame(as: FHIRInstant("2015-02-07T12:28:17Z")) == true)
        #expect(FHIRInstant("2015-02-07T13:28:17+01:00") != FHIRInstant("2015-02-07T12:28:17Z"))
        #expect(FHIRInstant("0001-01-01T00:00:00+14:00").isBefore(FHIRInstant("0001-01-01T00:00:00Z")) == true)
        #expect(FHIRInstant("9999-12-31T23:59:59-14:00").isAfter(FHIRInstant("9999-12-31T23:59:59Z")) == true)
        #expect(FHIRInstant("2016-12-31T23:59:60Z").isBefore(FHIRInstant("2017-01-01T00:00:00Z")) == true)
        #expect(FHIRInstant("2016-12-31T23:59:60Z").isAfter(FHIRInstant("2016-12-31T23:59:59.999999999Z")) == true)
        #expect(FHIRTime("10:00:00").compare(to: FHIRDate("2018")) == nil)
        #expect(FHIRDate("2018").compare(to: FHIRTime("10:00:00")) == nil)
    }

    /// Text that lenient reading let through has no time, and comes last.
    @Test func textThatIsNoValueComesLast() {
        let wrong = [FHIRInstant(_storage: .text("soon")), FHIRInstant(_storage: .text("2020-01-01T10:00:00"))]
        for value in wrong {
            #expect(value.compare(to: FHIRInstant("2020-01-01T10:00:00Z")) == nil && value.compare(to: value) == nil)
            #expect(FHIRInstant("9999-12-31T23:59:60Z") < value)
        }
        #expect(FHIRTime(_storage: .text("10:00:00 Uhr")).compare(to: FHIRTime("10:00:00")) == nil)
        expectTotalOrder(wrong + ["2020-01-01T10:00:00Z", "2020-01-01T11:00:00+01:00"])
    }
}

import FireLiteR4
import Foundation
import Testing

@testable import FireLiteSamples

@Suite(.timeLimit(.minutes(30))) struct SampleStatisticsTests {
    private func store(_ samples: [Sample]) async throws -> FHIRStore {
        let store = try memoryStore()
        try await SampleEngine(store: store, source: MemorySampleSource(samples), destinations: [LocalStore(store)]).run()
        return store
    }

    private var berlin: TimeZone { get throws { try #require(TimeZone(identifier: "Europe/Berlin")) } }

    private func date(_ text: String) throws -> Date { try #require(ISO8601DateFormatter().date(from: text)) }

    /// One wrong time would make millions of intervals.
    @Test func moreIntervalsThanFitAreRefused() async throws {
        let store = try memoryStore()
        let wrong = Sample(
            uuid: testUUID(9), type: .heartRate,
            start: try #require(SampleTime.read("0001-01-01T00:00:00Z").map { SampleTime.date($0.milliseconds) }),
            end: SampleTime.date(Int64(SampleTime.days(9999, 12, 31)) * 86_400_000), zone: .gmt,
            value: .quantity(60, unit: "count/min"), origin: SampleOrigin())
        let late = heartRate(1, 70, at: 0)
        try await SampleEngine(store: store, source: MemorySampleSource([wrong, late]), destinations: [LocalStore(store)]).run()
        for interval in [SampleInterval.day, .hour, .minutes(1)] {
            let error = await #expect(throws: SampleError.self) {
                try await store.sampleStatistics(of: .heartRate, by: interval, zone: .gmt)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try await store.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt).map(\.count) == [2])
        let day = try await store.sampleStatistics(
            of: .heartRate, by: .minutes(1), from: late.start, to: late.start.addingTimeInterval(365 * 86_400), zone: .gmt)
        #expect(day.count == 365 * 1_440 && day.first?.count == 1)
    }

    /// A span that the caller has given is not asked for again.
    @Test func aSpanWithTooManyIntervalsIsNamed() async throws {
        let store = try await store([heartRate(1, 70, at: 0)])
        let (start, end) = (try date("0001-01-01T00:00:00Z"), try date("9999-12-31T00:00:00Z"))
        for interval in [SampleInterval.day, .hour, .minutes(1)] {
            let error = await #expect(throws: SampleError.self) {
                try await store.sampleStatistics(of: .heartRate, by: interval, from: start, to: end, zone: .gmt)
            }
            #expect(error?.code == .invalidArgument && error?.message.contains("the span of time has more than") == true)
        }
    }

    /// Statistics take times and numbers from the file, which others write to.
    @Test(arguments: [
        "start = 9223372036854775807", "start = 9223372036854775806", "start = -9223372036854775808", "start = 'x'", "value = 9e999",
        "value = -9e999", "value = 'abc'", "value = 1e308",
    ]) func wrongTimesAndNumbersAreRefused(_ assignment: String) async throws {
        let store = try await store([
            heartRate(1, 60, at: 0), heartRate(2, 70, at: 60), steps(3, 1, from: testStart, for: 60, origin: testWatch),
            steps(4, 1, from: testStart, for: 60, origin: testWatch),
        ])
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "UPDATE _samples SET \(assignment)") }
        for type in [SampleType.heartRate, .stepCount] {
            let error = await #expect(throws: FHIRStoreError.self) { try await store.sampleStatistics(of: type, by: .whole, zone: .gmt) }
            #expect(error?.code == .notAStore && error?.message.contains("a row of _samples has") == true)
        }
        #expect(try await store.check().contains { $0.table == "_samples" })
        _ = try await store.refreshSamples()
        #expect(try await store.sampleStatistics(of: .heartRate, by: .whole, zone: .gmt).map(\.sum) == [130])
    }

    /// Rows are numbered on from the highest number in the file.
    @Test(arguments: [Int64.max, Int64.max - 1]) func aRowNumberThatNoneFollowsIsRefused(_ number: Int64) async throws {
        let store = try await store([heartRate(1, 60, at: 0)])
        _ = try await store.write { tx in try tx.run(on: SampleTables.module, "UPDATE _samples SET number = ?", [.integer(number)]) }
        #expect(try await store.check().contains { $0.table == "_samples" && $0.text.contains("1 row has a number") })
        let later = MemorySampleSource([heartRate(2, 70, at: 60)], name: "later")
        let error = await #expect(throws: FHIRStoreError.self) {
            try await SampleEngine(store: store, source: later, destinations: [LocalStore(store)]).run()
        }
        #expect(error?.code == .notAStore && error?.message.contains("a row of _samples has the number \(number)") == true)
    }

    @Test func figuresAreOfEachDay() async throws {
        let store = try await store([heartRate(1, 60, at: 0), heartRate(2, 70, at: 3_600), heartRate(3, 90, at: 86_400 * 2)])
        let days = try await store.sampleStatistics(of: .heartRate, by: .day, zone: .gmt)
        #expect(days.map(\.count) == [2, 0, 1])
        #expect(days.map(\.mean) == [65, nil, 90])
        #expect(days.map(\.minimum) == [60, nil, 90])
        #expect(days.map(\.maximum) == [70, nil, 90])
    }

    /// In 2026 the clocks of Berlin go forward on March 29 and back on October 25.
    @Test(arguments: [("2026-03-28T23:00:00Z", 23), ("2026-10-24T22:00:00Z", 25), ("2026-06-30T22:00:00Z", 24)])
    func daysHaveTheHoursThatTheyHave(_ midnight: String, _ hours: Int) async throws {
        let start = try date(midnight)
        // A step each hour of three days.
        let samples = (-24..<48).map { steps($0 + 100, 1, from: start.addingTimeInterval(Double($0) * 3_600), for: 60, origin: testWatch) }
        let store = try await store(samples)
        let days = try await store.sampleStatistics(of: .stepCount, by: .day, from: start, to: start.addingTimeInterval(60), zone: berlin)
        #expect(days.map(\.count) == [hours])
        #expect(days.map(\.sum) == [Double(hours)])
        #expect(days.map { $0.end.timeIntervalSince($0.start) } == [Double(hours) * 3_600])
        let clock = try await store.sampleStatistics(
            of: .stepCount, by: .hour, from: start, to: start.addingTimeInterval(Double(hours) * 3_600), zone: berlin)
        #expect(clock.map(\.count) == [Int](repeating: 1, count: hours))
    }

    @Test func overlappingSourcesCountOnceByPriority() async throws {
        // The watch counts 100 steps in 10 minutes, the phone 90 in 10 minutes of which 5 are the same.
        let store = try await store([
            steps(1, 100, from: testStart, for: 600, origin: testWatch),
            steps(2, 90, from: testStart.addingTimeInterval(300), for: 600, origin: testPhone),
        ])
        let watch = try await store.sampleStatistics(of: .stepCount, by: .day, zone: .gmt, sources: ["Watch", "Phone"])
        #expect(watch.map(\.sum) == [145])
        let phone = try await store.sampleStatistics(of: .stepCount, by: .day, zone: .gmt, sources: ["Phone"])
        #expect(phone.map(\.sum) == [140])
        #expect(try await store.read { try $0.sampleSources(of: .stepCount) } == ["Phone", "Watch"])
    }

    @Test func amountsAcrossMidnightAreShared() async throws {
        let store = try await store([steps(1, 100, from: testStart.addingTimeInterval(86_400 - 60), for: 240, origin: testWatch)])
        let days = try await store.sampleStatistics(
            of: .stepCount, by: .day, from: testStart, to: testStart.addingTimeInterval(2 * 86_400), zone: .gmt)
        #expect(days.map(\.sum) == [25, 75])
        #expect(days.map(\.count) == [1, 0])
    }

    @Test func samplesComeInTheirOrderAndSpan() async throws {
        let store = try await store([heartRate(3), heartRate(1), heartRate(2)])
        #expect(try await store.samples(of: .heartRate).map(\.uuid) == [1, 2, 3].map(testUUID))
        let span = try await store.samples(
            of: .heartRate, from: testStart.addingTimeInterval(120), to: testStart.addingTimeInterval(180))
        #expect(span.map(\.uuid) == [testUUID(2)])
    }

    @Test func hoursOfHalfHourZonesBeginAtTheirMidnight() async throws {
        let zone = try #require(TimeZone(identifier: "Asia/Kolkata"))
        let store = try await store([heartRate(1, 60, at: 0)])
        let hours = try await store.sampleStatistics(of: .heartRate, by: .hour, zone: zone)
        #expect(hours.map(\.start) == [testStart.addingTimeInterval(-1_800)])
    }

    /// Over the change of clocks on March 29, 2026.
    @Test func weeksAndMonthsAreThoseOfTheCalendar() async throws {
        let samples = try ["2026-03-22T22:30:00Z", "2026-03-22T23:30:00Z", "2026-03-29T21:30:00Z", "2026-03-29T22:30:00Z"].enumerated()
            .map { steps($0 + 1, 10, from: try date($1), for: 60, origin: testWatch) }
        let store = try await store(samples)
        let weeks = try await store.sampleStatistics(of: .stepCount, by: .week, zone: berlin)
        #expect(weeks.map(\.count) == [1, 2, 1])
        #expect(weeks.map { $0.end.timeIntervalSince($0.start) / 3_600 } == [168, 167, 168])
        let months = try await store.sampleStatistics(of: .stepCount, by: .month, zone: berlin)
        #expect(months.map(\.sum) == [40])
        #expect(months.map(\.start) == [try date("2026-02-28T23:00:00Z")])
    }

    @Test func minutesBeginWithTheDay() async throws {
        let store = try await store([heartRate(1, 60, at: 100), heartRate(2, 80, at: 1_000)])
        let quarters = try await store.sampleStatistics(of: .heartRate, by: .minutes(15), zone: .gmt)
        #expect(quarters.map(\.start) == [testStart, testStart.addingTimeInterval(900)])
        #expect(quarters.map(\.mean) == [60, 80])
    }

    /// Three sources: what the first does not cover, the second counts, and so on.
    @Test func eachMomentCountsForOneSourceOnly() async throws {
        let band = SampleOrigin([.sourceName: "Band"])
        let store = try await store([
            steps(1, 60, from: testStart, for: 60, origin: testWatch),
            steps(2, 120, from: testStart, for: 120, origin: testPhone),
            steps(3, 240, from: testStart, for: 240, origin: band),
        ])
        let sum = try await store.sampleStatistics(of: .stepCount, by: .whole, zone: .gmt, sources: ["Watch", "Phone", "Band"]).first?.sum
        #expect(sum == 240)
        // Without a choice, sources come by name: the band covers all.
        #expect(try await store.sampleStatistics(of: .stepCount, by: .whole, zone: .gmt).first?.sum == 240)
    }
}

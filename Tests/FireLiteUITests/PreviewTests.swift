import FireLiteCore
import FireLitePreviews
import FireLiteR4
import FireLiteUI
import Foundation
import TestSupport
import Testing

struct PreviewTests {
    @Test func aSeedGivesTheSameStore() throws {
        func ids(_ seed: UInt64) throws -> [String] { try FHIRStore.preview(patients: 3, seed: seed).query(Patient.self).ids() }
        let first = try ids(1)
        #expect(first.count == 3)
        #expect(try ids(1) == first && ids(2) != first)
    }

    @Test func aMissingFixtureIsAnError() {
        #expect(throws: CocoaError.self) { try FHIRStore.preview(fixtures: ["nothing.ndjson"], in: .main) }
    }

    @Test func fixturesOfABundleAreImported() throws {
        let folder = try TemporaryFolder()
        let observation = #"{"resourceType":"Observation","id":"b","subject":{"reference":"Patient/a"}}"#
        try folder.write("sample.ndjson", #"{"resourceType":"Patient","id":"a"}"# + "\n" + observation + "\n")
        try folder.write("one.json", #"{"resourceType":"Patient","id":"c"}"#)
        let bundle: Foundation.Bundle? = Foundation.Bundle(path: folder.path)
        let store = try FHIRStore.preview(fixtures: ["sample.ndjson", "one.json"], in: #require(bundle))
        #expect(try store.query(Patient.self).ids().sorted() == ["a", "c"])
        #expect(try store.count(Observation.self) == 1)
    }

    @Test func aSteppingClockGivesDifferentTimes() async throws {
        let clock = FHIRClock.stepping(from: Date(timeIntervalSince1970: 10), by: 2)
        #expect([clock.now(), clock.now()] == [Date(timeIntervalSince1970: 10), Date(timeIntervalSince1970: 12)])
        try await clock.sleep(.milliseconds(1_500))
        #expect(clock.now() == Date(timeIntervalSince1970: 15.5))
    }

    @Test func aFixedClockStands() async throws {
        let clock = FHIRClock.fixed(Date(timeIntervalSince1970: 1))
        try await clock.sleep(.seconds(1_000))
        #expect(clock.now() == Date(timeIntervalSince1970: 1) && clock.random() == 0.5)
    }
}

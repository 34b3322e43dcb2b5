import FireLiteCore
import FireLitePreviews
import FireLiteR4
import FireLiteUI
import Foundation
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

    @Test func aFixedClockStands() async throws {
        let clock = FHIRClock.fixed(Date(timeIntervalSince1970: 1))
        try await clock.sleep(.seconds(1_000))
        #expect(clock.now() == Date(timeIntervalSince1970: 1) && clock.random() == 0.5)
    }
}

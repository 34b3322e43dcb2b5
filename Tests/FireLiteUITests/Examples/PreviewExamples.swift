import FireLite
import FireLiteClient
import FireLitePreviews
import FireLiteR4
import Foundation
import TestSupport
import Testing

// example FireLitePreviews.md
func countsOfThePreview() throws -> Int {
    let store = try FHIRStore.preview(patients: 3, seed: 7)
    return try store.query(Patient.self).count()
}
// end

// example FireLitePreviews.md
func statusOfARefusedRead() async throws -> Int? {
    let server = try PreviewServer(.preview(patients: 1))
    let client = try server.client()
    server.fail(.status(404))
    do {
        _ = try await client.read(Patient.self, id: "1")
        return 200
    } catch let error as FHIRClientError {
        return error.status
    }
}
// end

@Suite struct PreviewExamples {
    @Test func storesForPreviewsAndTests() throws {
        let folder = try TemporaryFolder()
        try folder.write("visits.ndjson", #"{"resourceType":"Encounter","id":"b","subject":{"reference":"Patient/a"}}"# + "\n")
        try folder.write("patient.json", #"{"resourceType":"Patient","id":"a"}"#)
        let found: Foundation.Bundle? = Foundation.Bundle(path: folder.path)
        let bundle = try #require(found)
        // example Testing.md
        let people = try FHIRStore.preview(patients: 3, seed: 7)
        let cases = try FHIRStore.preview(fixtures: ["visits.ndjson", "patient.json"], in: bundle)
        #expect(try people.count(Patient.self) == 3)
        #expect(try cases.query(Patient.self).ids() == ["a"])
        // end
    }

    @Test func aServerWithAClockThatStands() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        // example Testing.md
        let server = try PreviewServer(store, clock: .fixed(Date(timeIntervalSince1970: 1_893_456_000)))
        let client = try server.client()
        server.fail(.status(503))
        let created = try await client.create(Patient { $0.active = true }).resource
        #expect(created?.meta?.lastUpdated?.date == Date(timeIntervalSince1970: 1_893_456_000))
        #expect(server.requests == ["POST Patient", "POST Patient"])
        // end
    }

    @Test func aStoreWithAClockThatStands() throws {
        // example Testing.md
        let store = try FHIRStore.preview(patients: 1, clock: .fixed(Date(timeIntervalSince1970: 1_893_456_000)))
        try store.track(.history)
        try store.write { tx in try tx.upsert(Patient { $0.id = "new" }) }
        #expect(try store.history(of: Patient.self, id: "new").first?.storedAt == Date(timeIntervalSince1970: 1_893_456_000))
        // end
    }

    @Test func aRefusedReadHasItsStatus() async throws { #expect(try await statusOfARefusedRead() == 404) }

    @Test func aPreviewHasPatients() throws { #expect(try countsOfThePreview() == 3) }
}

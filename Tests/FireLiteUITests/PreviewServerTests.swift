import FireLiteClient
import FireLitePreviews
import FireLiteR4
import FireLiteSync
import Foundation
import Testing

struct PreviewServerTests {
    private func server() throws -> PreviewServer {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.track(.history)
        try store.write { tx in try tx.add(Patient { $0.id = "1" }) }
        return try PreviewServer(store)
    }

    private func observation() -> Observation {
        Observation {
            $0.status = .final
            $0.code = CodeableConcept { $0.text = "Weight" }
        }
    }

    @Test func runsAreEqualInTimesAndIDs() async throws {
        func run() async throws -> [String] {
            let server = try server()
            let client = try server.client()
            var lines: [String] = []
            for _ in 0..<3 { lines.append(FHIRJSON.string(try #require(try await client.create(observation()).resource))) }
            lines.append(FHIRJSON.string(try await client.read(Patient.self, id: "1")))
            return lines + server.requests
        }
        let first = try await run()
        #expect(try await run() == first)
        #expect(first.contains { $0.contains(#""id":"new-3""#) } && first.last == "GET Patient/1")
        #expect(first[0].contains("2030-01-01T00:0"))
    }

    @Test func idsInUseAreSkipped() async throws {
        let server = try server()
        try await server.store.write { tx in
            try tx.add(Observation { $0.id = "new-1" })
            _ = try tx.add(Observation { $0.id = "new-2" })
        }
        let created = try #require(try await server.client().create(observation()).resource)
        #expect(created.id == "new-3")
    }

    @Test func unusableIDsAreAnError() async throws {
        let server = try PreviewServer(try FHIRStore.inMemory(release: .r4)) { $0.makeID = { "not an id" } }
        let client = try server.client { $0.retry.maximumAttempts = 1 }
        let error = await #expect(throws: FHIRClientError.self) { _ = try await client.create(observation()) }
        #expect(error?.status == 500)
        #expect(try await server.store.count(Observation.self) == 0)
    }

    @Test func failuresHappenInTheirOrder() async throws {
        let server = try server()
        let client = try server.client { $0.retry.maximumAttempts = 1 }
        server.fail(.unreachable)
        server.fail(.status(404), count: 2)
        var statuses: [Int?] = []
        for _ in 0..<3 {
            do {
                _ = try await client.read(Patient.self, id: "1")
                statuses.append(200)
            } catch let error as FHIRClientError { statuses.append(error.status) }
        }
        #expect(statuses == [nil, 404, 404])
        #expect(try await client.read(Patient.self, id: "1").id == "1")
        // What does not reach the server is not in its log.
        #expect(server.requests == Array(repeating: "GET Patient/1", count: 3))
        server.isOffline = true
        await #expect(throws: FHIRClientError.self) { _ = try await client.read(Patient.self, id: "1") }
        #expect(server.requests.count == 3)
        server.isOffline = false
        server.forgetRequests()
        #expect(server.requests.isEmpty)
    }

    @Test func aLostAnswerIsExecutedAndRepeatedWithoutADouble() async throws {
        let server = try server()
        let device = try FHIRStore.inMemory(release: .r4)
        try await device.track(.changes)
        try await device.write { tx in _ = try tx.add(Patient { $0.id = "mine" }) }
        let synchronizer = Synchronizer(device, try server.client(), scope: .types("Patient"))
        try await synchronizer.sync()
        #expect(try await server.store.query(Patient.self).ids().sorted() == ["1", "mine"])
        #expect(try await device.query(Patient.self).ids().sorted() == ["1", "mine"])
        try await device.write { tx in try #require(try tx.resource(Patient.self, id: "mine")).active = true }
        server.fail(.answerLost)
        _ = try? await synchronizer.sync()
        try await synchronizer.sync()
        #expect(try await server.store.resource(Patient.self, id: "mine")?.active == true)
        #expect(try await server.store.count(Patient.self) == 2)
    }
}

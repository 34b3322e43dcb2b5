import FireLiteCore
import FireLiteReleases
import FireLiteService
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// This library's own client and synchronizer, against its own server.
@Suite struct ClientTests {
    private func client(_ sample: ServiceSample) throws -> FHIRClient {
        var configuration = FHIRClient.Configuration()
        configuration.plainHTTPHosts = ["example.org"]
        return try FHIRClient(
            base: try #require(URL(string: ServiceSample.base)), release: sample.store.release, configuration: configuration,
            transport: ServiceTransport(sample.service))
    }

    private func device(_ sample: ServiceSample) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: sample.store.release)
        try store.track(.changes)
        return store
    }

    private func patient(_ store: FHIRStore, _ id: String, _ members: String) throws {
        let json = #"{"resourceType":"Patient","id":"\#(id)"\#(members.isEmpty ? "" : ",")\#(members)}"#
        let release = store.release
        try store.write { tx in _ = try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release)) }
    }

    private func content(_ store: FHIRStore) throws -> [String: String] {
        var found: [String: String] = [:]
        try store.read { tx in
            try tx.forEach(typeName: "Patient") { resource in
                let item = try JSONItemReader.read(FHIRJSON.data(resource))
                found[resource.id ?? ""] = JSONItem.object(item.members.filter { $0.name != "meta" }).json
            }
        }
        return found
    }

    @Test(arguments: InteractionTests.releases) func devicesMeetAtTheServer(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let (first, second) = (try device(sample), try device(sample))
        let synchronizers = try [first, second].map { Synchronizer($0, try client(sample), scope: .types("Patient")) }
        try patient(first, "a", #""active":true"#)
        try patient(second, "b", #""gender":"male""#)
        for synchronizer in synchronizers + synchronizers { try await synchronizer.sync() }
        #expect(try content(first) == content(second) && content(first).count == 2)
        #expect(try content(first) == content(sample.store))
        // Different elements of one resource are merged; a deletion arrives.
        try patient(first, "a", #""active":true,"birthDate":"1970-01-01""#)
        try patient(second, "a", #""active":true,"gender":"female""#)
        try await second.write { tx in _ = try tx.delete(typeName: "Patient", id: "b") }
        for synchronizer in synchronizers + synchronizers + synchronizers { try await synchronizer.sync() }
        #expect(try content(first) == content(second))
        #expect(try content(sample.store) == content(first))
        #expect(try content(first).keys.sorted() == ["a"])
        #expect(try content(first)["a"]?.contains("1970-01-01") == true && content(first)["a"]?.contains("female") == true)
    }

    @Test(arguments: [Synchronizer.Configuration.UpdateFormat.jsonPatch, .fhirPathPatch])
    func patchesOfTheSynchronizerAreApplied(_ format: Synchronizer.Configuration.UpdateFormat) async throws {
        let sample = try ServiceSample()
        let store = try device(sample)
        var configuration = Synchronizer.Configuration()
        configuration.updateFormat = format
        let synchronizer = Synchronizer(store, try client(sample), scope: .types("Patient"), configuration: configuration)
        let states = [
            #""active":true,"name":[{"family":"A","given":["x","y"]}]"#,
            #""active":false,"name":[{"family":"A","given":["y"]},{"text":"B"}],"birthDate":"1970-01""#,
            #""name":[{"text":"B"},{"family":"A","given":["y","z"]}],"contact":[{"name":{"text":"C"},"gender":"male"}],"deceasedBoolean":true"#,
            #""deceasedDateTime":"2020","contact":[{"gender":"female"}],"telecom":[{"system":"phone","value":"1"},{"system":"email","value":"2"}]"#,
            #""telecom":[{"system":"email","value":"2"}]"#,
        ]
        for state in states {
            try patient(store, "a", state)
            try await synchronizer.sync()
            #expect(try content(sample.store) == content(store), "\(state)")
        }
        #expect(await sample.get("/Patient/a").version == "\(states.count)")
    }

    @Test func everyInteractionOfTheClientIsAnswered() async throws {
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("jobs"))
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Patient","id":"2"}"#) {
            $0.workFolder = url
        }
        let client = try client(sample)
        let read = try await client.send(try .read("Patient", id: "1"))
        #expect(read.status == 200)
        let missing = try FHIRRequest.read("Patient", id: "none")
        await #expect(throws: FHIRClientError.self) { _ = try await client.send(missing) }
    }
}

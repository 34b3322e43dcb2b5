import FireLiteCore
import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Synchronizer and outbox with the releases that have no generated classes here: they go by layouts.
@Suite struct OtherReleaseTests {
    static let releases = ["STU3", "R4B", "R5"]

    private static func release(_ name: String) throws -> FHIRRelease { try #require(BundledRelease.named(name)).release }

    private static func patient(_ id: String, _ release: FHIRRelease, _ more: String = #""name":[{"family":"Smith"}]"#) throws
        -> FHIRResource
    {
        try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","id":"\#(id)",\#(more)}"#.utf8), release: release)
    }

    private static func observation(_ id: String, of patient: String, _ release: FHIRRelease) throws -> FHIRResource {
        let text =
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"weight"},"subject":{"reference":"Patient/\#(patient)"}}"#
        return try FHIRJSON.resource(from: Data(text.utf8), release: release)
    }

    /// A server that numbers each type from 1: what is pulled, deleted, stored again and pushed is told apart by type and id.
    @Test(arguments: [nil] + releases) func resourcesThatShareTheirIDsComeAndGo(name: String?) async throws {
        let release = try name.map(Self.release) ?? .r4
        let server = ModelServer(release: release)
        let device = try Device(server, release: release)
        var random = SeededGenerator(seed: 33)
        for round in 0..<8 {
            for _ in 0..<25 {
                let (type, id) = (random.pick(["Patient", "Observation"]), "\(random.int(1...12))")
                if random.percent(30), server.exists(SyncKey(typeName: type, id: id)) {
                    server.remove(type, id)
                } else if type == "Patient" {
                    server.put(try Self.patient(id, release, #""name":[{"family":"\#(round)"}]"#))
                } else {
                    server.put(try Self.observation(id, of: "\(round)", release))
                }
            }
            // Numbers of the device's own, beyond those that the server changes.
            try device.edit { tx in
                for _ in 0..<4 { _ = try tx.upsert(try Self.patient("\(random.int(101...110))", release)) }
            }
            try await device.sync()
            let (stored, expected) = (try device.contents(), server.contents)
            #expect(stored == expected, "round \(round)")
        }
    }

    /// Creates, changes and deletions go both ways, in each grouping; what both sides have changed is merged or deferred.
    @Test(arguments: releases, [Synchronizer.Configuration.Grouping.single, .transactions, .batches])
    func twoDevicesConverge(name: String, grouping: Synchronizer.Configuration.Grouping) async throws {
        let release = try Self.release(name)
        let server = ModelServer(release: release)
        server.behavior.checksReferences = true
        let devices = try (0..<2).map { _ in try Device(server, release: release) { $0.grouping = grouping } }
        try devices[0].edit { tx in
            for id in ["x", "y"] { _ = try tx.upsert(try Self.observation(id, of: "a", release)) }
            for id in ["a", "b"] { _ = try tx.upsert(try Self.patient(id, release)) }
        }
        #expect(try await devices[0].sync().created == 4)
        #expect(try await devices[1].sync().pulled == 4)
        // Different elements of one patient, and the same element of another.
        try devices[0].edit { tx in
            _ = try tx.upsert(try Self.patient("a", release, #""name":[{"family":"Smith"}],"gender":"female""#))
            _ = try tx.upsert(try Self.patient("b", release, #""name":[{"family":"Jones"}]"#))
        }
        try devices[1].edit { tx in
            _ = try tx.upsert(try Self.patient("a", release, #""name":[{"family":"Smith"}],"birthDate":"1970-01-01""#))
            _ = try tx.upsert(try Self.patient("b", release, #""name":[{"family":"Miller"}]"#))
            _ = try tx.delete(typeName: "Observation", id: "x")
        }
        try await devices[0].sync()
        let result = try await devices[1].sync()
        #expect(result.resolved == 1 && result.deferred == 1 && result.deleted == 1)
        let conflict = try #require(try await devices[1].synchronizer.changes(.conflict).first)
        #expect(conflict.id == "b" && conflict.base?.contains("Smith") == true && conflict.remote?.contains("Jones") == true)
        try await devices[1].synchronizer.resolve("Patient", id: "b") { conflict in
            #expect(conflict.paths == ["name[0].family"])
            return .local
        }
        for device in devices + devices { try await device.sync() }
        let contents = server.contents
        #expect(contents.keys.sorted() == ["Observation/y", "Patient/a", "Patient/b"])
        #expect(contents["Patient/a"]?.contains("female") == true && contents["Patient/a"]?.contains("1970") == true)
        #expect(contents["Patient/b"]?.contains("Miller") == true)
        for device in devices { #expect(try device.contents() == contents) }
    }

    /// New resources get the server's ids, in every reference, and a lost answer creates nothing twice.
    @Test(arguments: releases) func theServersIDsReplaceTheStores(name: String) async throws {
        let release = try Self.release(name)
        let server = ModelServer(release: release)
        let device = try Device(server, release: release) { $0.newIDs = .server }
        try device.edit { tx in
            _ = try tx.upsert(try Self.patient("a", release))
            _ = try tx.upsert(try Self.observation("x", of: "a", release))
        }
        server.behavior.after = { request, number in
            if request.method == .post, number < 3 { throw HTTPTransportError(.connectionLost, "lost") }
        }
        do { try await device.sync() } catch is FHIRClientError {}
        server.behavior.after = nil
        try await device.sync()
        let contents = server.contents
        #expect(contents.count == 2 && contents.keys.allSatisfy { $0.contains("server-") })
        #expect(contents.values.contains { $0.contains("\"reference\":\"Patient/server-") })
        #expect(try device.contents().keys.sorted() == contents.keys.sorted())
    }

    /// Patches of both kinds are of the release.
    @Test(arguments: releases, [Synchronizer.Configuration.UpdateFormat.jsonPatch, .fhirPathPatch])
    func changesAreSentAsPatches(name: String, format: Synchronizer.Configuration.UpdateFormat) async throws {
        let release = try Self.release(name)
        let server = ModelServer(release: release)
        server.behavior.patchFormats = ["application/json-patch+json", "application/fhir+json"]
        let device = try Device(server, release: release) {
            $0.updateFormat = format
            $0.grouping = .single
        }
        try device.edit { _ = try $0.upsert(try Self.patient("a", release)) }
        try await device.sync()
        try device.edit { _ = try $0.upsert(try Self.patient("a", release, #""name":[{"family":"Jones"}]"#)) }
        server.clear()
        try await device.sync(.push)
        let write = try #require(server.writes.first)
        #expect(write.method == .patch && write.fields["If-Match"] == "W/\"1\"" && write.text.contains("Jones"))
        if format == .fhirPathPatch {
            let parameters = try FHIRJSON.resource(from: write.body ?? Data(), release: release)
            #expect(parameters.resourceType == "Parameters" && parameters.children("parameter").count == 1)
        } else {
            #expect(write.text.contains(#""op":"test""#))
        }
    }

    /// What waits in an outbox is sent once, with the media type of the release.
    @Test(arguments: releases + ["DSTU2"]) func anOutboxSendsOnce(name: String) async throws {
        let release = try Self.release(name)
        let server = OutboxServerStub { _, number in number == 0 ? .answerLost : nil }
        var configuration = FHIRClient.Configuration()
        configuration.clock = TestClock().clock
        let client = try FHIRClient(base: testBase, release: release, configuration: configuration, transport: server)
        let store = try FHIRStore.inMemory(release: release)
        let outbox = try Outbox(store: store, client: client)
        try await store.write { tx in
            for number in 1...3 {
                // A name of DSTU2 has several family names.
                let family = name == "DSTU2" ? #"["\#(number)"]"# : #""\#(number)""#
                let text = #"{"resourceType":"Patient","name":[{"family":\#(family)}]}"#
                try outbox.enqueue(.create(try FHIRJSON.resource(from: Data(text.utf8), release: release)), in: tx)
            }
            // A type without identifiers is marked by a tag.
            let binary = try FHIRJSON.resource(from: Data(#"{"resourceType":"Binary","contentType":"text/plain"}"#.utf8), release: release)
            try outbox.enqueue(.create(binary), in: tx)
        }
        #expect(try await outbox.flush().ending == "failed 1 -")
        #expect(try await outbox.flush().ending == "done")
        #expect(server.numbers == (name == "DSTU2" ? [-1, -1, -1, -1] : [1, 2, 3, -1]))
        #expect(server.resources.allSatisfy { $0.condition != nil } && Set(server.resources.map(\.condition)).count == 4)
        let type = name == "DSTU2" ? "application/json+fhir" : "application/fhir+json"
        #expect(
            server.requests.allSatisfy {
                $0.fields["Accept"]?.hasPrefix(type + ", ") == true && $0.fields["Content-Type"]?.hasPrefix(type) == true
            })
    }
}

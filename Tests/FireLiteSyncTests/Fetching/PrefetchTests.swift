import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// References of what was pulled that lead to what is not here.
@Suite struct PrefetchTests {
    private let server = ModelServer()

    init() { server.behavior.types += ["Practitioner", "Organization"] }

    private func device(
        _ prefetch: Prefetch? = Prefetch(), scope: SyncScope = .types("Observation"), store: FHIRStore? = nil
    ) throws -> Device {
        try Device(server, store: store, scope: scope) { $0.prefetch = prefetch }
    }

    /// Observation → Patient → Organization.
    private func putChain(_ id: String = "1") {
        server.put(Organization { $0.id = "o\(id)" })
        let patient = samplePatient("p\(id)")
        patient.managingOrganization = Reference { $0.reference = "Organization/o\(id)" }
        server.put(patient)
        server.put(sampleObservation("x\(id)", of: "p\(id)"))
    }

    private func requests(_ text: String) -> Int { server.requests.count { $0.url.absoluteString.contains(text) } }

    @Test(arguments: [0, 1, 2, 5]) func referencesAreFollowedToTheDepth(depth: Int) async throws {
        putChain()
        let device = try device(depth == 0 ? nil : Prefetch(depth: depth))
        let result = try await device.sync(.pull)
        let expected = [["Observation/x1"], ["Patient/p1"], ["Organization/o1"]].prefix(depth + 1).flatMap { $0 }
        #expect(try device.contents().keys.sorted() == expected.sorted())
        #expect(result.prefetched == expected.count - 1 && result.pulled == expected.count)
        #expect(result.leftToPrefetch == 0 && result.missingReferences.isEmpty)
    }

    /// Without the option nothing is asked for but what was before.
    @Test func withoutTheOptionNothingMoreIsAskedFor() async throws {
        putChain()
        let device = try device(nil)
        try await device.sync(.pull)
        let paths = Set(server.requests.map(\.url.path))
        #expect(paths == ["/base/Observation"])
    }

    @Test func manyAreAskedForTogether() async throws {
        for number in 0..<120 {
            server.put(samplePatient("p\(number)"))
            server.put(sampleObservation("x\(number)", of: "p\(number)"))
        }
        let device = try device()
        #expect(try await device.sync(.pull).prefetched == 120)
        #expect(requests("/base/Patient") == 3 && requests("/base/Patient/") == 0)
        #expect(try device.contents() == server.contents)
    }

    @Test func absoluteReferencesCountUnderTheServersBaseOnly() async throws {
        server.put(samplePatient("near"))
        server.put(samplePatient("far"))
        for (id, reference) in [
            ("a", "https://fhir.example.org/base/Patient/near"), ("b", "https://evil.example.org/base/Patient/far"),
            ("c", "urn:uuid:9c8bd4a1-0f3e-4c43-8e2f-26f3f5a7fd0a"), ("d", "#far"), ("e", "Patient?identifier=far"), ("f", "Nonsense/far"),
            ("g", "https://fhir.example.org/other/Patient/far"), ("h", "Patient/far/../near"),
        ] {
            let observation = sampleObservation(id, of: "x")
            observation.subject = Reference { $0.reference = reference }
            server.put(observation)
        }
        let device = try device()
        #expect(try await device.sync(.pull).prefetched == 1)
        #expect(try device.contents()["Patient/near"] != nil && device.contents()["Patient/far"] == nil)
        #expect(server.requests.allSatisfy { $0.url.host == "fhir.example.org" && !$0.url.absoluteString.contains("far") })
    }

    @Test func onlyTheTypesThatAreNamedAndOfferedAreRead() async throws {
        putChain()
        let observation = sampleObservation("y", of: "p1")
        observation.encounter = Reference { $0.reference = "Encounter/e" }
        observation.device = Reference { $0.reference = "Device/d" }
        server.put(Encounter { $0.id = "e" })
        server.put(observation)
        let named = try device(Prefetch(types: ["Encounter", "Device"]))
        let result = try await named.sync(.pull)
        #expect(try named.contents().keys.sorted() == ["Encounter/e", "Observation/x1", "Observation/y"])
        // The server's CapabilityStatement has no Device, so it is not asked for one.
        #expect(result.missingReferences.map(\.typeName) == ["Device"] && requests("/base/Device") == 0)
    }

    @Test func whatTheServerDoesNotHaveIsListedAndNotAskedForAgain() async throws {
        server.put(samplePatient("deleted"))
        server.remove("Patient", "deleted")
        server.put(samplePatient("secret"))
        for id in ["deleted", "never", "secret"] { server.put(sampleObservation("x-\(id)", of: id)) }
        server.behavior.before = { request, _ in
            request.url.path == "/base/Patient" || request.url.path.hasSuffix("secret") ? HTTPResponse(403) : nil
        }
        let device = try device()
        let result = try await device.sync(.pull)
        let expected: Set<MissingReference> = [
            MissingReference(typeName: "Patient", id: "deleted", reason: .deleted, status: 410),
            MissingReference(typeName: "Patient", id: "never", reason: .absent, status: 404),
            MissingReference(typeName: "Patient", id: "secret", reason: .refused, status: 403),
        ]
        #expect(Set(result.missingReferences) == expected && result.prefetched == 0)
        #expect(Set(try await device.synchronizer.missingReferences()) == expected)
        server.behavior.before = nil
        server.clear()
        // New resources that refer to them ask for nothing before a day is over.
        server.put(sampleObservation("z", of: "never"))
        #expect(try await device.sync(.pull).missingReferences.isEmpty)
        #expect(requests("/base/Patient") == 0)
        server.put(samplePatient("never"))
        device.clock.advance(100_000)
        server.put(sampleObservation("zz", of: "never"))
        #expect(try await device.sync(.pull).prefetched == 1)
        #expect(try await device.synchronizer.retryMissingReferences() == 2)
        #expect(try await device.sync(.pull).prefetched == 1)
        #expect(try await device.synchronizer.missingReferences().map(\.id) == ["deleted"])
    }

    @Test func cyclesEnd() async throws {
        for (id, other) in [("a", "b"), ("b", "c"), ("c", "a")] {
            let patient = samplePatient(id)
            patient.link = [
                PatientLink {
                    $0.other = Reference { $0.reference = "Patient/\(other)" }
                    $0.type = .seealso
                }
            ]
            server.put(patient)
        }
        server.put(sampleObservation("x", of: "a"))
        let device = try device(Prefetch(depth: 100))
        #expect(try await device.sync(.pull).prefetched == 3)
        #expect(try device.contents() == server.contents)
        #expect(try await device.sync(.pull).prefetched == 0)
    }

    /// A limit ends a pull, and the next ones go on; nothing is asked for twice.
    @Test func aLimitIsKeptAndTheRestFollows() async throws {
        let observation = sampleObservation("x", of: "none")
        observation.subject = nil
        observation.performer = (0..<2_000).map { number in Reference { $0.reference = "Practitioner/n\(number)" } }
        for number in 0..<2_000 where number % 2 == 0 { server.put(Practitioner { $0.id = "n\(number)" }) }
        server.put(observation)
        let device = try device(Prefetch(limit: 900))
        var results: [SyncResult] = []
        for _ in 0..<4 { results.append(try await device.sync(.pull)) }
        #expect(results.map(\.leftToPrefetch) == [1_100, 200, 0, 0])
        #expect(results.map { $0.prefetched + $0.missingReferences.count } == [900, 900, 200, 0])
        #expect(try device.contents() == server.contents)
        let reads = server.requests.filter { $0.url.path.hasPrefix("/base/Practitioner/") }.map(\.url)
        #expect(reads.count == 1_000 && Set(reads).count == 1_000)
    }

    /// An interrupted pull forgets no reference.
    @Test func anInterruptedPullForgetsNoReference() async throws {
        for number in 0..<60 {
            server.put(samplePatient("p\(100 + number)"))
            server.put(sampleObservation("x\(number)", of: "p\(100 + number)"))
        }
        let device = try device()
        server.behavior.before = { request, _ in
            if request.url.query?.contains("p150") == true { throw HTTPTransportError(.cannotConnect, "down") }
            return nil
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.pull) }
        server.behavior.before = nil
        let result = try await device.sync(.pull)
        #expect(result.prefetched > 0 && result.prefetched <= 60)
        #expect(try device.contents() == server.contents)
    }

    /// What was prefetched is asked for by its id in later pulls, with its deletions, and its new references are followed as far as before.
    @Test func whatWasPrefetchedStaysUpToDate() async throws {
        putChain("1")
        putChain("2")
        let device = try device()
        try await device.sync(.pull)
        let changed = samplePatient("p1", "Changed")
        changed.managingOrganization = Reference { $0.reference = "Organization/o2" }
        server.put(changed)
        server.remove("Patient", "p2")
        server.clear()
        let result = try await device.sync(.pull)
        #expect(result.pulled == 1 && result.pulledDeletions == 1 && result.prefetched == 0)
        #expect(try device.contents().keys.sorted() == ["Observation/x1", "Observation/x2", "Patient/p1"])
        #expect(try device.contents()["Patient/p1"]?.contains("Changed") == true)
        // One request asks for the versions of both.
        #expect(requests("_elements=id,meta") == 1)
        #expect(try await device.synchronizer.dropOutOfScope() == 0)
        let without = try self.device(nil, store: device.store)
        #expect(try await without.synchronizer.dropOutOfScope() == 1)
    }

    /// What was pulled before the option was set is looked at too, once.
    @Test func whatWasPulledBeforeIsLookedAtOnce() async throws {
        putChain()
        let before = try device(nil)
        try await before.sync(.pull)
        let device = try device(store: before.store)
        #expect(try await device.sync(.pull).prefetched == 1)
        #expect(try device.contents().keys.sorted() == ["Observation/x1", "Patient/p1"])
    }

    /// A local edit of what was prefetched is pushed, and merged with the server's, as with anything pulled.
    @Test func editsOfWhatWasPrefetchedAreMerged() async throws {
        putChain()
        let device = try device()
        try await device.sync()
        try device.edit { try $0.resource(Patient.self, id: "p1")?.gender = .female }
        let changed = samplePatient("p1")
        changed.birthDate = "1970-01-01"
        changed.managingOrganization = Reference { $0.reference = "Organization/o1" }
        server.put(changed)
        let result = try await device.sync()
        #expect(result.resolved == 1 && result.updated == 1)
        let patient = server.contents["Patient/p1"]
        #expect(patient?.contains("female") == true && patient?.contains("1970") == true)
    }

    @Test func whatWasPurgedIsNotPrefetchedAgain() async throws {
        putChain()
        let device = try device()
        try await device.sync(.pull)
        try await device.synchronizer.purge("Patient", id: "p1")
        server.put(sampleObservation("new", of: "p1"))
        #expect(try await device.sync(.pull).prefetched == 0)
        #expect(try device.patient("p1") == nil)
    }

    // MARK: - Servers' lies

    /// A server that ignores `_id` sends others, which are not taken over.
    @Test func aServerThatIgnoresIDsBringsNothingElse() async throws {
        for number in 0..<80 { server.put(samplePatient("other\(number)")) }
        for number in 0..<3 {
            server.put(samplePatient("p\(number)"))
            server.put(sampleObservation("x\(number)", of: "p\(number)"))
        }
        server.behavior.ignored = ["_id"]
        let device = try device()
        #expect(try await device.sync(.pull).prefetched == 3)
        #expect(try device.contents().keys.filter { $0.hasPrefix("Patient") }.sorted() == ["Patient/p0", "Patient/p1", "Patient/p2"])
    }

    /// Another resource than the one that was asked for is a refusal, and a page of a portal is no answer.
    @Test func anotherResourceIsARefusalAndAPageNoAnswer() async throws {
        server.put(samplePatient("other"))
        server.put(sampleObservation("x", of: "p"))
        let other = server.history[SyncKey(typeName: "Patient", id: "other")]?.last?.json ?? ""
        server.behavior.before = { request, _ in request.url.path == "/base/Patient/p" ? .json(other) : nil }
        let device = try device()
        let result = try await device.sync(.pull)
        #expect(result.missingReferences == [MissingReference(typeName: "Patient", id: "p", reason: .refused, status: nil)])
        #expect(try device.contents().keys.sorted() == ["Observation/x"])
        server.put(samplePatient("q"))
        server.put(sampleObservation("y", of: "q"))
        server.behavior.before = { request, _ in
            request.url.path == "/base/Patient/q"
                ? HTTPResponse(200, fields: ["Content-Type": "text/html"], body: Data("<html>".utf8)) : nil
        }
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync(.pull) }
        #expect(error?.code == .invalidResponse)
        server.behavior.before = nil
        #expect(try await device.sync(.pull).prefetched == 1)
    }

    /// A gateway's 404 is no deletion of what was prefetched.
    @Test func aGatewaysAbsenceDeletesNothing() async throws {
        putChain()
        let device = try device()
        try await device.sync(.pull)
        server.behavior.before = { request, _ in
            guard request.url.path.hasPrefix("/base/Patient") else { return nil }
            return HTTPResponse(404, fields: ["Content-Type": "text/html"], body: Data("<html>".utf8))
        }
        let result = try await device.sync(.pull)
        #expect(result.pulledDeletions == 0)
        #expect(try device.patient("p1") != nil)
    }

    /// Parts of resources, marked as such, are read whole before they are stored.
    @Test func partsOfResourcesAreReadWhole() async throws {
        for id in ["a", "b"] {
            server.put(samplePatient(id))
            server.put(sampleObservation("x\(id)", of: id))
        }
        server.behavior.before = { request, _ in
            guard request.url.path == "/base/Patient" else { return nil }
            return .json(
                #"{"resourceType":"Bundle","type":"searchset","entry":[{"resource":"#
                    + #"{"resourceType":"Patient","id":"a","meta":{"versionId":"1","tag":[{"code":"SUBSETTED"}]}}}]}"#
            )
        }
        let device = try device()
        #expect(try await device.sync(.pull).prefetched == 2)
        #expect(try device.contents() == server.contents)
    }

    /// One resource refers to a hundred thousand others: one request for fifty, up to the limit.
    @Test func manyReferencesOfOneResourceAreLimited() async throws {
        let count = 100_000
        let references = (0..<count).map { #"{"reference":"Practitioner/n\#($0)"}"# }.joined(separator: ",")
        let text = #"{"resourceType":"Observation","id":"x","status":"final","code":{"text":"x"},"performer":[\#(references)]}"#
        server.put(try FHIRJSON.resource(from: Data(text.utf8), release: .r4))
        server.behavior.before = { request, _ in
            request.url.path == "/base/Practitioner" ? .json(#"{"resourceType":"Bundle","type":"searchset"}"#) : nil
        }
        let device = try device(Prefetch(limit: 100))
        server.clear()
        let result = try await device.sync(.pull)
        #expect(result.leftToPrefetch == count - 100 && result.missingReferences.count == 100)
        #expect(requests("/base/Practitioner") == 102)
    }

    @Test func theResultIsKept() async throws {
        server.put(sampleObservation("x", of: "never"))
        let device = try device()
        let result = try await device.sync(.pull)
        let kept = try await device.synchronizer.lastResult()
        #expect(kept?.missingReferences == result.missingReferences && kept?.missingReferences.count == 1)
    }
}

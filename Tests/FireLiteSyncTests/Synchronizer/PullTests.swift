import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What is pulled, and how.
@Suite struct PullTests {
    private let server = ModelServer()

    /// Behaviour 3: what is pulled logs nothing and is not sent back.
    @Test func whatIsPulledIsNotSentBack() async throws {
        for number in 0..<5 { server.put(samplePatient("p\(number)")) }
        let device = try Device(server)
        #expect(try await device.sync().pulled == 5)
        let log = try device.store.blocking { try $0.newestChange() }
        server.put(samplePatient("p0", "Two"))
        #expect(try await device.sync().pulled == 1)
        let isLogged = try device.store.blocking { try !$0.changes(since: log).isEmpty }
        #expect(server.writes.isEmpty && !isLogged)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 19: the cursor is the server's time; a known version is skipped.
    @Test func theCursorIsTheServersTimeWithAnOverlap() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server, scope: .types("Patient"))
        try await device.sync()
        device.clock.advance(-1_000_000)
        server.put(samplePatient("b"))
        server.clear()
        let result = try await device.sync()
        #expect(result.pulled == 1 && result.unchanged == 1)
        let search = try #require(server.requests.first { $0.url.query?.contains("_lastUpdated") == true })
        let last = server.history[SyncKey(typeName: "Patient", id: "a")]?.last?.time ?? 0
        #expect(search.url.query?.contains("_lastUpdated=ge\(ServerTime.instant(last - 10_000))") == true)
    }

    /// Behaviour 20: deletions are pulled, and a resource that was created again stays.
    @Test func deletionsArePulled() async throws {
        for id in ["a", "b", "c"] { server.put(samplePatient(id)) }
        let device = try Device(server)
        try await device.sync()
        server.remove("Patient", "a")
        server.remove("Patient", "b")
        server.put(samplePatient("b", "Again"))
        #expect(try await device.sync().pulledDeletions == 1)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 20: what was pushed and deleted before the type was ever pulled is deleted too.
    @Test func deletionsOfWhatWasPushedArePulled() async throws {
        let device = try Device(server)
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        server.remove("Patient", "a")
        server.put(samplePatient("b"))
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 22: a pull goes on in the middle; pages that were stored are not read again, but for the last one, which no other has confirmed, and
    /// for the resource at the edge of each page.
    @Test(arguments: [true, false]) func aPullGoesOnInTheMiddle(sorts: Bool) async throws {
        server.behavior.sorts = sorts
        for number in 0..<20 { server.put(samplePatient("p\(100 + number)")) }
        let device = try Device(server, scope: .types("Patient")) {
            $0.pageSize = 4
            $0.overlap = .zero
        }
        server.behavior.before = { _, number in
            if number == 4 { throw HTTPTransportError(.cannotConnect, "down") }
            return nil
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync() }
        let stored = try device.contents().count
        #expect(stored > 4 && stored < 20)
        server.behavior.before = nil
        let result = try await device.sync()
        #expect(result.pulled == 20 - stored && result.unchanged < 10)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 22: a change between two pages, which moves a resource to the end, hides no other from a server that counts pages.
    @Test(arguments: [true, false]) func changesDuringAPullHideNothing(sorts: Bool) async throws {
        server.behavior.sorts = sorts
        for number in 0..<20 { server.put(samplePatient("p\(100 + number)")) }
        let device = try Device(server, scope: .types("Patient")) {
            $0.pageSize = 5
            $0.overlap = .zero
        }
        server.behavior.after = { [weak server] request, number in
            if number == 1 { server?.put(samplePatient("p100", "Moved")) }
        }
        try await device.sync()
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 22: a next link to another server never gets the token.
    @Test func aNextLinkToAnotherServerGetsNoToken() async throws {
        let server = server
        server.put(samplePatient("a"))
        server.behavior.before = { request, _ in
            if request.url.host == "evil.example.org" { return .json(#"{"resourceType":"Bundle","type":"searchset"}"#) }
            guard request.url.path == "/base/Patient" else { return nil }
            return .json(
                #"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"next","url":"https://evil.example.org/x"}]}"#)
        }
        let store = try FHIRStore.inMemory(release: .r4)
        let client = try FHIRClient(
            base: testBase, release: .r4, authorization: .bearer { _ in Secret("secret") }, transport: server)
        try await Synchronizer(store, client, scope: .types("Patient")).pull()
        #expect(server.requests.contains { $0.url.host == "evil.example.org" })
        #expect(server.requests.allSatisfy { ($0.fields["Authorization"] == nil) == ($0.url.host == "evil.example.org") })
    }

    /// Next links that lead in a circle end the pull with an error.
    @Test func nextLinksInACircleEndThePull() async throws {
        server.put(samplePatient("a"))
        server.behavior.before = { request, _ in
            guard request.url.path == "/base/Patient" else { return nil }
            return .json(
                #"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"next","url":"https://fhir.example.org/base/Patient?x=1"}]}"#
            )
        }
        let device = try Device(server, scope: .types("Patient"))
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(error?.code == .invalidResponse && server.requests.count < 5)
    }

    /// A pull of searches and compartments stores what they find.
    @Test func searchesAndCompartmentsArePulled() async throws {
        for id in ["a", "b"] {
            let patient = samplePatient(id)
            patient.gender = id == "a" ? .female : .male
            server.put(patient)
            server.put(sampleObservation("of-\(id)", of: id))
        }
        let device = try Device(
            server, scope: .search("Patient", ["gender": "female"]) + .compartment("Patient", id: "b", types: ["Observation"]))
        try await device.sync()
        #expect(try device.contents().keys.sorted() == ["Observation/of-b", "Patient/a"])
    }

    /// The members of a Group bring their compartments.
    @Test func groupsBringTheirMembersCompartments() async throws {
        for id in ["a", "b", "c"] {
            server.put(samplePatient(id))
            server.put(sampleObservation("of-\(id)", of: id))
        }
        let group = Group {
            $0.id = "g"
            $0.actual = true
            $0.type = .person
            $0.member = ["a", "c"].map { id in GroupMember { $0.entity = Reference { $0.reference = "Patient/\(id)" } } }
        }
        server.put(group)
        let device = try Device(server, scope: .group(id: "g", types: ["Patient", "Observation"]))
        try await device.sync()
        #expect(try device.contents().keys.sorted() == ["Observation/of-a", "Observation/of-c", "Patient/a", "Patient/c"])
        group.member.removeLast()
        server.put(group)
        try device.edit { try $0.upsert(samplePatient("c", "Edited")) }
        #expect(try await device.synchronizer.dropOutOfScope() == 1)
        #expect(try device.contents().keys.sorted() == ["Observation/of-a", "Patient/a", "Patient/c"])
    }

    /// Everything is what the CapabilityStatement offers.
    @Test func everythingIsWhatTheServerOffers() async throws {
        server.put(samplePatient("a"))
        server.put(sampleObservation("x", of: "a"))
        let device = try Device(server, scope: .everything)
        #expect(try await device.sync().pulled == 2)
    }

    /// Behaviour 21: a first pull by a bulk export, which is resumed; afterwards only what is newer is searched for.
    @Test func theFirstPullMayBeAnExport() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let lines = server.history.values.compactMap { $0.last?.json }.sorted().joined(separator: "\n")
        let time = ServerTime.instant(server.history.values.compactMap { $0.last?.time }.max() ?? 0)
        server.behavior.before = { request, number in
            switch request.url.path {
            case "/base/$export": return HTTPResponse(202, fields: ["Content-Location": "https://fhir.example.org/base/status"])
            case "/base/status":
                return .json(
                    #"{"transactionTime":"\#(time)","output":[{"type":"Patient","url":"https://fhir.example.org/base/file"}],"deleted":[]}"#
                )
            case "/base/file" where number < 3: throw HTTPTransportError(.connectionLost, "the connection broke")
            case "/base/file": return .json(lines)
            default: return nil
            }
        }
        let folder = try TemporaryFolder()
        let device = try Device(server, scope: .types("Patient")) {
            $0.exportFolder = URL(fileURLWithPath: folder.file("export"))
            $0.overlap = .zero
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync() }
        let result = try await device.sync()
        #expect(result.pulled == 2)
        #expect(try device.contents() == server.contents)
        #expect(server.requests.count { $0.url.path == "/base/$export" } == 1)
        #expect(server.requests.last { $0.url.path == "/base/Patient" }?.url.query?.contains("_lastUpdated=ge\(time)") == true)
        server.clear()
        server.remove("Patient", "a")
        #expect(try await device.sync().pulledDeletions == 1)
        #expect(!server.requests.contains { $0.url.path == "/base/$export" })
    }

    /// What a server could not export, it says in files of errors: a search pulls it.
    @Test func whatAnExportLacksIsSearchedFor() async throws {
        server.put(samplePatient("a"))
        // The server's time moves on by more than the overlap of pulls, so that only a search of everything finds the first one.
        for number in 0..<20 { server.put(samplePatient("b", "\(number)")) }
        let line = try #require(server.history.values.compactMap { $0.last }.max { $0.time < $1.time }?.json)
        let time = ServerTime.instant(server.history.values.compactMap { $0.last?.time }.max() ?? 0)
        server.behavior.before = { request, _ in
            switch request.url.path {
            case "/base/$export": HTTPResponse(202, fields: ["Content-Location": "https://fhir.example.org/base/status"])
            case "/base/status":
                .json(
                    #"{"transactionTime":"\#(time)","output":[{"type":"Patient","url":"https://fhir.example.org/base/file"}],"#
                        + #""error":[{"type":"OperationOutcome","url":"https://fhir.example.org/base/errors"}]}"#
                )
            case "/base/file": .json(line)
            case "/base/errors": .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"exception"}]}"#)
            default: nil
            }
        }
        let folder = try TemporaryFolder()
        let device = try Device(server, scope: .types("Patient")) { $0.exportFolder = URL(fileURLWithPath: folder.file("export")) }
        _ = try await device.sync()
        #expect(try device.contents() == server.contents)
    }
}

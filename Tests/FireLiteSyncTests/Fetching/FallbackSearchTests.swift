import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Searches that the store and the server answer together.
@Suite struct FallbackSearchTests {
    private let server = ModelServer()

    private func put(_ id: String, _ gender: AdministrativeGender, _ family: String = "Smith") {
        let patient = samplePatient(id, family)
        patient.gender = gender
        server.put(patient)
    }

    private static let down: @Sendable (HTTPRequest, Int) throws -> HTTPResponse? = { _, _ in
        throw HTTPTransportError(.cannotConnect, "down")
    }

    /// What an answer is, without its resources, which belong to nobody else.
    private struct Summary: Equatable {
        var source: SyncSearchResult.Source
        var ids: [String]
        var isComplete: Bool
        var failure: String?
    }

    private func search(_ device: Device, _ address: String, _ policy: SearchPolicy = .storeThenServer, limit: Int = 1_000) async throws
        -> Summary
    {
        let answer = try await device.synchronizer.search(address, policy, limit: limit)
        return Summary(
            source: answer.source, ids: answer.matches.map { $0.id ?? "" }, isComplete: answer.isComplete,
            failure: (answer.failure as? FHIRClientError)?.code.rawValue ?? (answer.failure as? SyncError)?.code.rawValue)
    }

    private static let female = "Patient?gender=female"

    @Test func theStoreAloneAsksNobody() async throws {
        put("a", .female)
        let device = try Device(server)
        #expect(try await search(device, Self.female, .store) == Summary(source: .store, ids: [], isComplete: false))
        #expect(server.requests.isEmpty)
    }

    /// The server is asked if the type was never pulled completely, and if the search finds nothing.
    @Test func theServerIsAskedForWhatTheStoreDoesNotHave() async throws {
        put("a", .female)
        put("m", .male)
        let device = try Device(server, scope: .types("Patient"))
        #expect(try await search(device, Self.female) == Summary(source: .server, ids: ["a"], isComplete: true))
        // It is stored now, but nobody knows whether there are others.
        #expect(try device.contents().keys.sorted() == ["Patient/a"])
        server.clear()
        #expect(try await search(device, Self.female).source == .server)
        // After a pull of the type the store answers.
        try await device.sync(.pull)
        server.clear()
        #expect(try await search(device, Self.female) == Summary(source: .store, ids: ["a"], isComplete: true))
        #expect(server.requests.isEmpty)
        // Nothing here: perhaps it is new there.
        put("o", .other)
        #expect(try await search(device, "Patient?gender=other") == Summary(source: .server, ids: ["o"], isComplete: true))
        #expect(try await search(device, "Patient?gender=unknown") == Summary(source: .server, ids: [], isComplete: true))
    }

    /// What a scope's search or compartment has pulled counts for searches within it.
    @Test func partsOfAScopeCountForWhatIsWithinThem() async throws {
        put("a", .female)
        server.put(sampleObservation("x", of: "a"))
        let device = try Device(
            server, scope: .search("Patient", ["gender": "female"]) + .compartment("Patient", id: "a", types: ["Observation"]))
        try await device.sync(.pull)
        #expect(try await search(device, Self.female + "&name=smith").source == .store)
        #expect(try await search(device, "Patient/a/Observation").source == .store)
        server.behavior.before = Self.down
        for address in [
            "Patient?name=smith", "Observation?status=final", "Patient?gender=female&_has:Observation:patient:status=final",
            "Patient?gender=female&_revinclude=Observation:patient", "Patient?gender=female&general-practitioner.name=x",
        ] {
            let answer = try await search(device, address)
            #expect(answer.source == .store && !answer.isComplete && answer.failure == "cannotConnect", "\(address)")
        }
    }

    @Test func whatWasPurgedMakesATypeIncomplete() async throws {
        put("a", .female)
        put("b", .female)
        let device = try Device(server, scope: .types("Patient"))
        try await device.sync(.pull)
        try await device.synchronizer.purge("Patient", id: "a")
        #expect(try await search(device, Self.female).source == .server)
    }

    /// Offline is an answer with the policies that say so, and an error with the others.
    @Test func offlineIsAnAnswerWhereThePolicySaysSo() async throws {
        put("a", .female)
        let device = try Device(server, scope: .types("Patient"))
        try await device.sync(.pull)
        put("b", .female)
        #expect(try await search(device, Self.female, .serverThenStore) == Summary(source: .server, ids: ["a", "b"], isComplete: true))
        server.behavior.before = Self.down
        let offline = Summary(source: .store, ids: ["a", "b"], isComplete: true, failure: "cannotConnect")
        #expect(try await search(device, Self.female, .serverThenStore) == offline)
        let error = await #expect(throws: FHIRClientError.self) { try await search(device, Self.female, .server) }
        #expect(error?.code == .cannotConnect)
        // A portal's page, a failing server, and a gateway's 404.
        for (status, type) in [(200, "text/html"), (502, "text/html"), (404, "text/html"), (429, "text/plain")] {
            server.behavior.before = { _, _ in HTTPResponse(status, fields: ["Content-Type": type], body: Data("<html>".utf8)) }
            let answer = try await search(device, Self.female, .serverThenStore)
            #expect(answer.source == .store && answer.ids == ["a", "b"] && answer.failure != nil, "\(status)")
        }
    }

    /// Access and trust are for the app to decide, whatever the policy.
    @Test func refusedTokensAndCertificatesAreErrors() async throws {
        let device = try Device(server, scope: .types("Patient"))
        for status in [401, 403] {
            server.behavior.before = { _, _ in HTTPResponse(status) }
            await #expect(throws: FHIRClientError.self) { try await search(device, Self.female, .serverThenStore) }
        }
        server.behavior.before = { _, _ in throw HTTPTransportError(.notSecure, "not trusted") }
        let error = await #expect(throws: FHIRClientError.self) { try await search(device, Self.female) }
        #expect(error?.code == .notSecure)
    }

    /// A server that ignores a condition has not answered the search: nothing of it is stored.
    @Test func ignoredConditionsAreNotBelieved() async throws {
        put("a", .female)
        put("m", .male)
        server.behavior.ignored = ["gender"]
        let device = try Device(server, scope: .nothing)
        #expect(try await search(device, Self.female) == Summary(source: .store, ids: [], isComplete: false, failure: "ignoredParameters"))
        #expect(try device.contents().isEmpty)
        let error = await #expect(throws: SyncError.self) { try await search(device, Self.female, .server) }
        #expect(error?.code == .ignoredParameters && error?.message.contains("gender") == true)
        #expect(server.requests.last?.fields["Prefer"] == "handling=strict")
        // So has one that does not say what it used.
        server.behavior.ignored = []
        server.behavior.before = { _, _ in
            .json(
                #"{"resourceType":"Bundle","type":"searchset","entry":[{"resource":{"resourceType":"Patient","id":"m","gender":"male"}}]}"#)
        }
        await #expect(throws: SyncError.self) { try await search(device, Self.female, .server) }
        #expect(try device.contents().isEmpty)
        // An order that is ignored is said, and the rest counts.
        server.behavior.before = nil
        server.behavior.ignored = ["_sort"]
        let answer = try await device.synchronizer.search("Patient?gender=female&_sort=name", .server)
        #expect(answer.ignored == ["_sort"] && answer.matches.count == 1)
    }

    /// What was not asked for is not stored: other types, outcomes, parts.
    @Test func onlyWhatWasAskedForIsStored() async throws {
        put("a", .female)
        put("part", .female)
        let whole = server.history[SyncKey(typeName: "Patient", id: "a")]?.last?.json ?? ""
        server.behavior.before = { request, _ in
            guard request.url.path == "/base/Patient", request.url.query?.contains("_id=") != true else { return nil }
            return .json(
                #"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"self","url":"\#(request.url.absoluteString)"}],"entry":["#
                    + #"{"resource":\#(whole),"search":{"mode":"match"}},"#
                    + #"{"resource":{"resourceType":"Observation","id":"x","status":"final","code":{"text":"x"}}},"#
                    + #"{"resource":{"resourceType":"Basic","id":"y","code":{"text":"x"}},"search":{"mode":"include"}},"#
                    + #"{"resource":{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"invalid"}]},"search":{"mode":"outcome"}},"#
                    + #"{"resource":{"resourceType":"Patient","id":"part","meta":{"versionId":"1","tag":[{"code":"SUBSETTED"}]}}}]}"#)
        }
        let device = try Device(server, scope: .nothing)
        #expect(try await search(device, Self.female, .server).ids == ["a", "part"])
        #expect(try device.contents() == server.contents)
    }

    /// Pages are read to the limit; with `_count` one page is the answer. Links to other hosts are not followed.
    @Test func pagesAreReadToTheLimit() async throws {
        for number in 100..<130 { put("p\(number)", .female) }
        let device = try Device(server, scope: .nothing) { $0.pageSize = 8 }
        let all = try await search(device, Self.female, .server)
        #expect(all.ids == (100..<130).map { "p\($0)" } && all.isComplete)
        let some = try await search(device, Self.female, .server, limit: 20)
        #expect(some.ids.count == 20 && !some.isComplete)
        let page = try await search(device, Self.female + "&_count=5", .server)
        #expect(page.ids.count == 5 && !page.isComplete)
        server.clear()
        server.behavior.before = { request, _ in
            .json(
                #"{"resourceType":"Bundle","type":"searchset","link":[{"relation":"self","url":"\#(request.url.absoluteString)"},"#
                    + #"{"relation":"next","url":"https://evil.example.org/next"}]}"#)
        }
        let elsewhere = try await search(device, Self.female, .server)
        #expect(!elsewhere.isComplete && server.requests.allSatisfy { $0.url.host == "fhir.example.org" })
    }

    /// `_summary` and `_elements` are not sent, as whole resources are stored.
    @Test func onlyWholeResourcesAreAskedFor() async throws {
        put("a", .female)
        let device = try Device(server, scope: .nothing)
        _ = try await search(device, Self.female + "&_summary=true&_elements=id&_total=accurate&_format=xml", .server)
        let query = try #require(server.requests.first?.url.query)
        #expect(
            query.contains("gender=female") && !query.contains("_summary") && !query.contains("_elements") && !query.contains("_format"))
        #expect(try device.contents() == server.contents)
    }

    /// Local edits are in the answer, and matches that the server does not know yet.
    @Test func whatWasNotSentIsInTheAnswer() async throws {
        put("a", .female)
        put("b", .female)
        let device = try Device(server, scope: .types("Patient"))
        try await device.sync()
        try device.edit { tx in
            try tx.resource(Patient.self, id: "a")?.birthDate = "1970-01-01"
            _ = try tx.delete(Patient.self, id: "b")
            let new = samplePatient("new")
            new.gender = .female
            _ = try tx.upsert(new)
            let male = samplePatient("male")
            male.gender = .male
            _ = try tx.upsert(male)
        }
        let answer = try await device.synchronizer.search(Self.female, .server)
        #expect(answer.matches.map(\.id) == ["a", "new"])
        #expect((answer.matches.first as? Patient)?.birthDate == "1970-01-01")
        #expect(answer.result.total == 2 && answer.result.bundleJSON.contains("1970-01-01"))
        // Nothing was lost for the next push.
        #expect(try await device.sync().pushed == 4)
    }

    /// What a search has brought is not sent back, is kept up to date by later pulls, and is dropped with what is out of scope.
    @Test func whatASearchBroughtStaysUpToDate() async throws {
        put("a", .female)
        put("b", .female)
        let device = try Device(server, scope: .types("Observation"))
        _ = try await search(device, Self.female)
        put("a", .female, "Changed")
        server.remove("Patient", "b")
        let result = try await device.sync()
        #expect(result.pulled == 1 && result.pulledDeletions == 1 && result.pushed == 0)
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.dropOutOfScope() == 1)
        #expect(try device.contents().isEmpty && server.contents.count == 1)
    }

    /// A search needs no turn: another sync may run.
    @Test func aSearchWaitsForNoSync() async throws {
        put("a", .female)
        let device = try Device(server, scope: .types("Patient"))
        var run = SyncRun(device.synchronizer, nil)
        try await run.begin()
        #expect(try await search(device, Self.female, .server).ids == ["a"])
    }

    /// A search that only the server understands goes there, and is an error without it.
    @Test func whatTheStoreDoesNotUnderstandTheServerMay() async throws {
        put("a", .female)
        let device = try Device(server, scope: .types("Patient"))
        try await device.sync(.pull)
        let special = "Patient?gender=female&special=1"
        #expect(try await search(device, special) == Summary(source: .server, ids: ["a"], isComplete: true))
        for address in ["?_type=Patient", "Patient/a/$everything", "Patient?_contained=both"] {
            let error = await #expect(throws: SyncError.self) { try await search(device, address, .server) }
            #expect(error?.code == .invalidArgument)
        }
        await #expect(throws: SearchError.self) { try await search(device, "Patient?gender", .server) }
        // Whether a change that waits matches, nobody knows.
        try device.edit { try $0.upsert(samplePatient("new")) }
        #expect(try await search(device, special) == Summary(source: .server, ids: ["a"], isComplete: false))
        #expect(try await device.synchronizer.search(special).result.total == nil)
        try await device.sync()
        #expect(try await search(device, special).isComplete)
    }
}

import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Servers that ignore parameters, add to what they get, have other clocks, or send what cannot be read.
@Suite struct ServersOwnWayTests {
    private let server = ModelServer()

    // MARK: - Pages

    /// The order of a server is what it shows and not what its links say.
    @Test(arguments: [true, false], [true, false]) func nothingIsSkippedIfAServerDoesNotSort(echoes: Bool, hidesTotals: Bool) async throws {
        // By ids: each page is in the order of changes, and all of them are not.
        for block in [3, 1, 2, 0] {
            for number in block * 10..<min(block * 10 + 10, 35) { server.put(samplePatient("p\(100 + number)")) }
        }
        server.behavior.sorts = false
        server.behavior.echoesSort = echoes
        server.behavior.hidesTotals = hidesTotals
        let device = try Device(server, scope: .types("Patient")) { $0.pageSize = 10 }
        let result = try await device.sync()
        #expect(try device.contents() == server.contents && result.missing == 0 && result.unreadable == 0)
        #expect(try await device.sync().pulled == 0)
    }

    /// Servers that sort are read in their order, without comparing ids.
    @Test(arguments: [true, false]) func serversThatSortAreReadOnce(hidesTotals: Bool) async throws {
        for number in 0..<35 { server.put(samplePatient("p\(100 + number)")) }
        server.behavior.hidesTotals = hidesTotals
        let device = try Device(server, scope: .types("Patient")) { $0.pageSize = 10 }
        #expect(try await device.sync().pulled == 35)
        #expect(!server.requests.contains { $0.url.query?.contains("_elements") == true })
        #expect(try device.contents() == server.contents)
    }

    @Test func ignoredSizesAndTimesAreNoHindrance() async throws {
        for number in 0..<30 { server.put(samplePatient("p\(100 + number)")) }
        server.behavior.ignoresCount = true
        server.behavior.ignoresSince = true
        let device = try Device(server, scope: .types("Patient"))
        try await device.sync()
        server.remove("Patient", "p105")
        server.put(samplePatient("new"))
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    /// A server whose searches lag, and that refuses searches by id or answers something else, is read one by one.
    @Test(arguments: [200, 400, 404, 501]) func withoutSearchesByIDResourcesAreReadOneByOne(status: Int) async throws {
        for id in ["a", "b", "c", "d"] { server.put(samplePatient(id)) }
        let server = server
        let transport = StubServer { request, _ in
            let query = request.url.query ?? ""
            guard request.url.path == "/base/Patient", !query.contains("_elements=") else { return try await server.send(request) }
            if query.contains("_id=") {
                return .json(
                    #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-supported"}]}"#, status)
            }
            let link = #""link":[{"relation":"next","url":"\#(testBase.absoluteString)/Patient?page=1"}]"#
            return .json(#"{"resourceType":"Bundle","type":"searchset"\#(query.contains("page=1") ? "" : "," + link)}"#)
        }
        let device = try Device(transport, scope: .types("Patient"))
        #expect(try await device.sync().pulled == 4)
        #expect(try device.contents() == server.contents && server.contents.count == 4)
        #expect(transport.requests.count { $0.url.query?.contains("_id=") == true } == 1)
        #expect(["a", "b", "c", "d"].allSatisfy { id in transport.requests.count { $0.url.path == "/base/Patient/\(id)" } == 1 })
        #expect(!transport.requests.contains { $0.method == .post } && server.history.values.allSatisfy { $0.count == 1 })
    }

    /// What a server counts and does not send is in the summary.
    @Test func whatIsCountedAndNotSentIsSaid() async throws {
        server.put(samplePatient("a"))
        let server = server
        let transport = StubServer { request, _ in
            var answer = try await server.send(request)
            if request.url.path == "/base/Patient" {
                let text = String(decoding: answer.body, as: UTF8.self).replacingOccurrences(of: "\"total\":1", with: "\"total\":35")
                answer.body = Data(text.utf8)
            }
            return answer
        }
        #expect(try await Device(transport, scope: .types("Patient")).sync().missing == 34)
    }

    /// The address of a page that an earlier pull has kept is given up if it leads to another host or to no page of the server.
    @Test(arguments: [true, false]) func aPageThatLeadsNowhereHoldsUpOnePull(isElsewhere: Bool) async throws {
        server.behavior.sorts = false
        for number in 1...6 { server.put(samplePatient("p\(number)")) }
        let wrong = "https://elsewhere.example.org/page"
        let server = server
        let transport = StubServer { request, _ in
            if request.url.absoluteString == wrong { throw HTTPTransportError(.cannotConnect, "there is no such host") }
            var answer = try await server.send(request)
            guard request.url.path.hasSuffix("/Patient") else { return answer }
            if isElsewhere {
                let text = String(decoding: answer.body, as: UTF8.self)
                let link = try #require(text.range(of: #"(?<="relation":"next","url":")[^"]*"#, options: .regularExpression))
                answer.body = Data(text.replacingCharacters(in: link, with: wrong).utf8)
            } else if request.url.query?.contains("_offset") == true {
                return HTTPResponse(200, fields: ["Content-Type": "text/html"], body: Data("<html></html>".utf8))
            }
            return answer
        }
        let device = try Device(transport, scope: .types("Patient")) { $0.pageSize = 2 }
        for _ in 0..<2 { await #expect(throws: (any Error).self) { try await device.sync(.pull) } }
        #expect(try device.contents().count == 2)
        let client = try FHIRClient(base: testBase, release: .r4, transport: server)
        try await Synchronizer(device.store, client, scope: .types("Patient")).sync(.pull)
        #expect(try device.contents() == server.contents)
    }

    /// A server that gives versions in the ETag of a resource alone: any number of changes is sent, each on its version.
    @Test(arguments: [2, 3, 7]) func versionsMayBeInTheETagAlone(count: Int) async throws {
        server.behavior.garbles = { _, json in
            json.replacingOccurrences(of: #""versionId":"[0-9]+",?"#, with: "", options: .regularExpression)
        }
        for number in 0..<count { server.put(samplePatient("p\(number)")) }
        let device = try Device(server)
        try await device.sync()
        try device.edit { tx in
            for number in 0..<count { try tx.resource(Patient.self, id: "p\(number)")?.name.first?.family = "Edited" }
        }
        #expect(try await device.sync().updated == count)
        #expect(server.contents.values.allSatisfy { $0.contains("Edited") })
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    // MARK: - Additions

    /// What a server adds to what it gets stays when the next edit is sent.
    @Test(arguments: [true, false], [Synchronizer.Configuration.Grouping.single, .transactions])
    func whatTheServerAddsStays(returnsNothing: Bool, grouping: Synchronizer.Configuration.Grouping) async throws {
        server.behavior.adds = { ($0 as? Patient)?.identifier.append(Identifier { $0.value = "added" }) }
        server.behavior.returnsNothing = returnsNothing
        let device = try Device(server) {
            $0.grouping = grouping
            $0.conflicts = .client
        }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        #expect(try await device.sync(.push).created == 2)
        try device.edit { tx in
            for id in ["a", "b"] { try tx.resource(Patient.self, id: id)?.name.first?.family = "Edited" }
        }
        #expect(try await device.sync(.push).updated == 2)
        for id in ["a", "b"] {
            let content = try #require(server.contents["Patient/\(id)"])
            #expect(content.contains("added") && content.contains("Edited") && server.version("Patient", id) == 2)
        }
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    /// Also if the resource is edited between the push and the pull, and its answer was lost.
    @Test func whatTheServerAddsStaysAfterALostAnswer() async throws {
        server.behavior.adds = { ($0 as? Patient)?.identifier.append(Identifier { $0.value = "added" }) }
        let network = FaultyNetwork(server) { $0.method == .get ? nil : .answerLost }
        let device = try Device(network) {
            $0.maximumInterruptions = 0
            $0.conflicts = .client
        }
        try device.edit { try $0.upsert(samplePatient("a")) }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        try device.edit { try $0.resource(Patient.self, id: "a")?.gender = .female }
        network.fault = { _ in nil }
        try await device.sync()
        let content = try #require(server.contents["Patient/a"])
        #expect(content.contains("added") && content.contains("female"))
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    // MARK: - Clocks

    /// Deletions are found although the server's clock is ahead of the dates of its changes, or behind them.
    @Test(arguments: [300_000, -300_000] as [Int64]) func deletionsAreFoundWhateverTheClockSays(skew: Int64) async throws {
        server.behavior.clockSkew = skew
        for id in ["a", "b", "c"] { server.put(samplePatient(id)) }
        let device = try Device(server)
        try await device.sync()
        server.remove("Patient", "a")
        #expect(try await device.sync().pulledDeletions == 1)
        server.remove("Patient", "b")
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    /// One resource with a date far in the future hides no later change.
    @Test func aDateInTheFutureHidesNothing() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        let server = server
        let transport = StubServer { request, _ in
            var answer = try await server.send(request)
            let times = server.history[SyncKey(typeName: "Patient", id: "a")]?.map { ServerTime.instant($0.time) } ?? []
            var text = String(decoding: answer.body, as: UTF8.self)
            if request.url.path == "/base/Patient" {
                for time in times { text = text.replacingOccurrences(of: "\(time)\"},\"name", with: "2099-01-01T00:00:00Z\"},\"name") }
            }
            answer.body = Data(text.utf8)
            return answer
        }
        let device = try Device(transport, scope: .types("Patient"))
        try await device.sync()
        server.put(samplePatient("b", "Later"))
        server.put(samplePatient("c"))
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    // MARK: - Unreadable

    private static let broken = #"{"resourceType":"Patient","id":"b","meta":{"versionId":"1"},"birthDate":"yesterday"}"#

    /// A resource that cannot be read is listed with its text and its reason, hides no other, and comes when it changes.
    @Test func aResourceThatCannotBeReadIsListedAndTriedAgain() async throws {
        for id in ["a", "b", "c"] { server.put(samplePatient(id)) }
        server.behavior.garbles = { key, _ in key.id == "b" ? Self.broken : nil }
        let device = try Device(server) { $0.pageSize = 2 }
        let result = try await device.sync()
        #expect(result.pulled == 2 && result.unreadable == 1)
        #expect(try device.contents().keys.sorted() == ["Patient/a", "Patient/c"])
        let listed = try await device.synchronizer.unreadable()
        #expect(listed.map(\.id) == ["b"] && listed[0].typeName == "Patient" && listed[0].version == "1" && listed[0].text == Self.broken)
        #expect(listed[0].reason.contains("birthDate") && !listed[0].reason.contains("yesterday"))
        // It is not new the second time.
        #expect(try await device.sync().unreadable == 0)
        server.behavior.garbles = { _, _ in nil }
        server.put(samplePatient("b", "Mended"))
        #expect(try await device.sync().pulled == 1)
        #expect(try await device.synchronizer.unreadable().isEmpty)
        #expect(try device.contents() == server.contents)
    }

    /// One that reads leniently takes what the strict one has left.
    @Test func readingLenientlyTakesWhatWasLeft() async throws {
        for id in ["a", "b"] { server.put(samplePatient(id)) }
        server.behavior.garbles = { key, _ in key.id == "b" ? Self.broken : nil }
        let strict = try Device(server)
        #expect(try await strict.sync().unreadable == 1)
        var settings = FHIRClient.Configuration()
        settings.readsLeniently = true
        let client = try FHIRClient(base: testBase, release: .r4, configuration: settings, transport: server)
        let lenient = Synchronizer(strict.store, client, scope: .types("Patient"))
        try await lenient.sync()
        #expect(try strict.contents().keys.sorted() == ["Patient/a", "Patient/b"])
        #expect(try await lenient.unreadable().isEmpty)
    }

    /// What cannot be read and is edited here is not overwritten there, and what is here stays.
    @Test func aVersionThatCannotBeReadIsNotOverwritten() async throws {
        server.put(samplePatient("b"))
        let device = try Device(server) { $0.conflicts = .client }
        try await device.sync()
        server.put(samplePatient("b", "Theirs"))
        server.behavior.garbles = { key, json in json.contains("Theirs") ? Self.broken : nil }
        try device.edit { try $0.resource(Patient.self, id: "b")?.gender = .female }
        for _ in 0..<3 { do { try await device.sync() } catch is FHIRClientError {} }
        #expect(server.contents["Patient/b"]?.contains("Theirs") == true)
        #expect(try device.patient("b")?.gender == .female)
        #expect(try await device.synchronizer.unreadable().count == 1)
    }

    /// An empty list of entries, which is not valid, is an empty list.
    @Test func anEmptyListIsAnEmptyList() async throws {
        server.behavior.writesEmptyLists = true
        server.put(samplePatient("a"))
        let device = try Device(server)
        #expect(try await device.sync().pulled == 1)
        server.remove("Patient", "a")
        try await device.sync()
        #expect(try device.contents().isEmpty)
    }

    // MARK: - Identity and references

    /// A server that offers one interaction of one type.
    private static func capabilities(_ typeName: String, _ interaction: String) -> HTTPResponse {
        .json(
            #"{"resourceType":"CapabilityStatement","status":"active","date":"2024","kind":"instance","fhirVersion":"4.0.1","format":["json"],"#
                + #""rest":[{"mode":"server","resource":[{"type":"\#(typeName)","interaction":[{"code":"\#(interaction)"}]}]}]}"#)
    }

    private func sampleEncounter(_ id: String) -> Encounter {
        Encounter {
            $0.id = id
            $0.status = .planned
        }
    }

    /// Ids that are equal across types, differ in case, or have 64 marks, are different resources, in both directions.
    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .transactions, .batches])
    func idsAreUniqueWithinTheirTypesOnly(grouping: Synchronizer.Configuration.Grouping) async throws {
        let ids = ["1", "2", "a", "A", "1.1", "1-1", String(repeating: "x", count: 64)]
        func resources(_ ids: [String]) -> [FHIRResource] {
            ids.flatMap { id -> [FHIRResource] in
                [samplePatient(id, "of \(id)"), sampleObservation(id, of: id), sampleEncounter(id)]
            }
        }
        for resource in resources(Array(ids.prefix(4))) { server.put(resource) }
        let device = try Device(server, scope: .everything) {
            $0.grouping = grouping
            $0.pageSize = 2
        }
        #expect(try await device.sync().pulled == 12)
        try device.edit { tx in for resource in resources(Array(ids.suffix(3))) { _ = try tx.upsert(resource) } }
        #expect(try await device.sync().created == 9)
        #expect(try device.contents() == server.contents && server.contents.count == 21)
        server.remove("Patient", "1")
        try device.edit { _ = try $0.delete(Observation.self, id: "2") }
        let result = try await device.sync()
        #expect(result.pulledDeletions == 1 && result.deleted == 1)
        #expect(try device.contents() == server.contents && server.contents.count == 19)
    }

    /// References under the server's base, and to a version, get the server's id too.
    @Test func everyFormOfReferenceGetsTheServersID() async throws {
        let device = try Device(server) {
            $0.newIDs = .server
            $0.maximumBundleCount = 1
        }
        let base = testBase.absoluteString
        let other = "http://other.example.org/Patient/a"
        let texts = ["Patient/a", "\(base)/Patient/a", "Patient/a/_history/1", "\(base)/Patient/a/_history/2", other]
        try device.edit { tx in
            try tx.upsert(samplePatient("a"))
            for (number, text) in texts.enumerated() {
                let observation = sampleObservation("x\(number)", of: "a")
                observation.subject?.reference = text
                try tx.upsert(observation)
            }
        }
        #expect(try await device.sync(.push).created == 6)
        for contents in [server.contents, try device.contents()] {
            let patient = try #require(contents.keys.first { $0.hasPrefix("Patient/") })
            let references = contents.values.compactMap { $0.firstMatch(of: /"reference":"([^"]*)"/).map { String($0.1) } }
            #expect(references.sorted() == Array(repeating: patient, count: 4) + [other])
        }
    }

    /// What refers to the server's address refers to what was pulled from there.
    @Test func theServersBaseIsOneOfTheStores() async throws {
        server.put(samplePatient("a"))
        let device = try Device(server)
        try await device.sync()
        try await device.sync()
        let (bases, found) = try device.store.blocking { store in
            try store.read { tx in (try tx.bases(), try tx.resource(reference: "\(testBase.absoluteString)/Patient/a")?.id) }
        }
        #expect(bases == [testBase.absoluteString] && found == "a")
    }

    /// A file with the tables of an earlier version keeps what it knows, and gets the new ones.
    @Test func tablesOfAnEarlierVersionAreExtended() async throws {
        let later = ["_sync_unreadable", "_sync_missing", "_sync_subscription"]
        let tables = SyncJournal.tables.tables.filter { !later.contains($0.name) }
        let earlier = ModuleTables(module: "sync", version: 1, tables: tables)
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        do {
            let store = try FHIRStore(path: path, release: .r4)
            try await store.write { tx in
                _ = try tx.run(on: earlier, "INSERT INTO _sync_server(base, started) VALUES (?, 0)", [.text(testBase.absoluteString)])
            }
            try await store.close()
        }
        server.put(samplePatient("a"))
        let device = try Device(server, store: try FHIRStore(path: path, release: .r4))
        #expect(try device.store.blocking { try $0.synchronizedServers() } == [testBase.absoluteString])
        #expect(try await device.sync().pulled == 1)
        let servers = try await device.synchronizer.journal { try $0.rows("SELECT server FROM _sync_server").count }
        #expect(servers == 1)
        #expect(try device.store.blocking { try $0.check() }.isEmpty)
    }

    /// Bundles are resources too.
    @Test func bundlesArePulledIfEverythingIs() async throws {
        let server = server
        let bundle = #"{"resourceType":"Bundle","id":"doc","meta":{"versionId":"1"},"type":"collection"}"#
        server.behavior.before = { request, _ in
            switch request.url.path {
            case "/base/metadata":
                return Self.capabilities("Bundle", "search-type")
            case "/base/Bundle": return .json(#"{"resourceType":"Bundle","type":"searchset","entry":[{"resource":\#(bundle)}]}"#)
            default: return nil
            }
        }
        let device = try Device(server, scope: .everything)
        #expect(try await device.sync().pulled == 1)
        #expect(try device.contents().keys.sorted() == ["Bundle/doc"])
    }

    // MARK: - Leases, summaries and conflicts

    /// The lease of a process that was killed is free at once.
    @Test func theLeaseOfAProcessThatEndedIsFree() async throws {
        let device = try Device(server)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "exit 0"]
        try child.run()
        child.waitUntilExit()
        let parts = LeaseOwner().text.split(separator: " ")
        let ended = "\(parts[0]) \(child.processIdentifier) other"
        try await device.synchronizer.journal(ended) { _ in }
        try await device.sync()
        // A process that lives keeps its lease, and so does one of another machine.
        for owner in ["\(parts[0]) \(getpid()) other", "elsewhere 1 other"] {
            try await device.synchronizer.journal(owner) { _ in }
            let error = await #expect(throws: SyncError.self) { try await device.sync() }
            #expect(error?.code == .busy)
            try await device.synchronizer.journal { try $0.end(owner, nil) }
        }
    }

    /// What waits for a conflict is in the summary, and conflicts show both sides and their merge.
    @Test func whatAConflictHoldsBackIsInTheSummary() async throws {
        let device = try Device(server)
        server.behavior.checksReferences = true
        server.behavior.refuses = { ($0 as? Patient)?.id == "new" ? 422 : nil }
        try device.edit { try $0.upsert(samplePatient("a", "Base")) }
        try await device.sync()
        let remote = samplePatient("a", "Remote")
        remote.gender = .female
        server.put(remote)
        try device.edit { tx in
            let local = samplePatient("a", "Local")
            local.active = true
            try tx.upsert(local)
            try tx.upsert(samplePatient("new"))
            try tx.upsert(sampleObservation("x", of: "new"))
        }
        let result = try await device.sync()
        #expect(result.deferred == 1 && result.parked == 1 && result.waiting == 1)
        let conflict = try #require(try await device.synchronizer.conflicts().first)
        #expect(conflict.typeName == "Patient" && conflict.id == "a" && conflict.paths == ["name[0].family"])
        #expect(conflict.local?.contains("Local") == true && conflict.remote?.contains("Remote") == true)
        #expect(conflict.base?.contains("Base") == true)
        #expect(conflict.merged?.contains("female") == true && conflict.merged?.contains("\"active\":true") == true)
        let error = await #expect(throws: SyncError.self) { try await device.synchronizer.resolve("Patient", id: "a", with: .merge) }
        #expect(error?.code == .conflict && error?.message.contains("name[0].family") == true)
        #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .mergePreferring(.local)))
        try await device.sync()
        let content = try #require(server.contents["Patient/a"])
        #expect(content.contains("Local") && content.contains("female") && content.contains("\"active\":true"))
        #expect(try await device.synchronizer.conflicts().isEmpty)
    }

    /// A server that lists nothing to search for is an error and not an empty server.
    @Test func aServerThatListsNoSearchIsAnError() async throws {
        server.behavior.before = { request, _ in
            guard request.url.path == "/base/metadata" else { return nil }
            return Self.capabilities("Patient", "read")
        }
        let device = try Device(server, scope: .everything)
        let error = await #expect(throws: SyncError.self) { try await device.sync() }
        #expect(error?.code == .notSearchable)
    }

    /// A result of an earlier version of the library, without the newer counts, is read.
    @Test func anOlderResultIsRead() throws {
        let result = try JSONDecoder().decode(SyncResult.self, from: Data(#"{"begin":1,"end":2,"pulled":3}"#.utf8))
        #expect(result.pulled == 3 && result.waiting == 0)
    }
}

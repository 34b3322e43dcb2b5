import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Answers that contradict what the server said before, or themselves, are read again one by one. What is confirmed and older is a conflict.
@Suite struct DoubtfulAnswerTests {
    private let server = ModelServer()
    /// The server as it was before the last push.
    private let backup = ModelServer()
    private let isLying = Switch(false)

    private func family(_ device: Device, _ id: String) throws -> String? { try device.patient(id)?.name.first?.family }

    private static func isSearch(_ request: HTTPRequest) -> Bool { request.method == .get && request.url.lastPathComponent == "Patient" }

    /// A device whose first pull and push are done, and whose requests a closure directs from then on.
    private func pushed(_ direct: @escaping @Sendable (HTTPRequest) -> Bool) async throws -> Device {
        for id in ["a", "b", "d"] {
            server.put(samplePatient(id, "One"))
            backup.put(samplePatient(id, "One"))
        }
        let (server, backup, isLying) = (server, backup, isLying)
        let transport = StubServer { request, _ in
            isLying.value && direct(request) ? try await backup.send(request) : try await server.send(request)
        }
        let device = try Device(transport, scope: .types("Patient")) { $0.conflicts = .server }
        try await device.sync()
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Two"))
            try tx.upsert(samplePatient("c", "New"))
            try tx.delete(Patient.self, id: "b")
        }
        try await device.sync()
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/c", "Patient/d"])
        isLying.value = true
        return device
    }

    @Test func aServerThatWentBackChangesNothing() async throws {
        let device = try await pushed { _ in true }
        let before = try device.contents()
        let result = try await device.sync()
        #expect(result.pulled == 0 && result.pulledDeletions == 0 && result.deferred == 2)
        #expect(try device.contents() == before)
        let conflicts = try await device.synchronizer.changes(.conflict)
        #expect(conflicts.map(\.id).sorted() == ["a", "b"])
        #expect(
            Set(conflicts.compactMap { $0.issues.first?.diagnostics }) == [
                "the server went back from version 2 to 1", "the server went back to version 1, which was deleted",
            ])
        #expect(try await device.sync().deferred == 0)
        #expect(try device.contents() == before)
        #expect(backup.writes.isEmpty)
        for id in ["a", "b"] { #expect(try await device.synchronizer.resolve("Patient", id: id, with: .local)) }
        try await device.sync()
        #expect(backup.contents["Patient/a"] == before["Patient/a"])
        #expect(!backup.exists(SyncKey(typeName: "Patient", id: "b")))
        #expect(try device.contents() == before)
    }

    /// Edits of a replica's time.
    enum Edit: CaseIterable { case none, before, after }

    /// A replica that was behind has caught up: what was there before goes on, with the edits that were made meanwhile.
    @Test(arguments: Edit.allCases) func aConflictEndsOnceTheServerShowsWhatWasKnown(edit: Edit) async throws {
        let device = try await pushed { $0.method == .get }
        if edit == .before { try device.edit { tx in try tx.upsert(samplePatient("a", "Three")) } }
        #expect(try await device.sync().deferred == 2)
        #expect(try await device.synchronizer.changes(.conflict).map(\.id).sorted() == ["a", "b"])
        if edit == .after { try device.edit { tx in try tx.upsert(samplePatient("a", "Three")) } }
        isLying.value = false
        #expect(try await device.sync().deferred == 0)
        #expect(try await device.synchronizer.changes().isEmpty)
        try await device.sync()
        #expect(try family(device, "a") == (edit == .none ? "Two" : "Three"))
        #expect(try device.contents() == server.contents)
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/c", "Patient/d"])
        #expect(backup.writes.isEmpty)
        // That the server deleted it is still known.
        isLying.value = true
        #expect(try await device.sync().deferred == 2)
        #expect(try device.patient("b") == nil)
    }

    /// A server whose backup was restored, and which then gives a version's number to somebody else's edit.
    ///
    /// - Parameter isFetched: whether the resource is read by its id, as another one refers to it.
    private func restored(_ conflicts: ConflictPolicy, isFetched: Bool = false) async throws -> Device {
        for server in [server, backup] {
            server.put(samplePatient("a", "One"))
            if isFetched { server.put(sampleObservation("o", of: "a")) }
        }
        let (server, backup, isLying) = (server, backup, isLying)
        let transport = StubServer { request, _ in try await (isLying.value ? backup : server).send(request) }
        let device = try Device(transport, scope: .types(isFetched ? "Observation" : "Patient")) {
            $0.conflicts = conflicts
            $0.prefetch = isFetched ? Prefetch() : nil
        }
        try await device.sync()
        server.put(samplePatient("a", "Two"))
        try await device.sync()
        #expect(try family(device, "a") == "Two")
        for id in ["x", "y"] { backup.put(samplePatient(id)) }
        backup.put(samplePatient("a", "Other"))
        #expect(backup.version("Patient", "a") == server.version("Patient", "a"))
        isLying.value = true
        return device
    }

    /// Nothing was edited here: what is known is nowhere else by then, so somebody decides, unless the server's state wins.
    @Test(arguments: [false, true]) func aNumberThatIsGivenAgain(isServers: Bool) async throws {
        let device = try await restored(isServers ? .server : .client)
        var deferred = 0
        for _ in 0..<3 { deferred += try await device.sync().deferred }
        #expect(deferred == (isServers ? 0 : 1))
        #expect(try family(device, "a") == (isServers ? "Other" : "Two"))
        let waiting = try await device.synchronizer.changes()
        #expect(waiting.map(\.state) == (isServers ? [] : [.conflict]))
        #expect(
            waiting.first?.issues.first?.diagnostics == (isServers ? nil : "the server gives version 2 again, with another content"))
        guard !isServers else { return }
        #expect(backup.writes.isEmpty)
        #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .local))
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents() == backup.contents)
        #expect(backup.contents["Patient/a"]?.contains("Two") == true)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    @Test func aNumberThatIsGivenAgainIsNoticedOfWhatWasReadByItsID() async throws {
        let device = try await restored(.merge(), isFetched: true)
        try device.edit { tx in try tx.resource(Patient.self, id: "a")?.name.first?.family = "Three" }
        for _ in 0..<2 { try await device.sync() }
        #expect(backup.contents["Patient/a"]?.contains("Other") == true)
        #expect(try await device.synchronizer.changes(.conflict).map(\.id) == ["a"])
    }

    /// An edit from here does not replace somebody else's because the numbers of the versions are the same. Nor is it merged: what the version that was
    /// known had, and the new one has not, nobody has changed back.
    @Test(arguments: [false, true]) func anEditOfANumberThatIsGivenAgain(isOfAnotherElement: Bool) async throws {
        let device = try await restored(.merge())
        try device.edit { tx in
            let patient = try tx.resource(Patient.self, id: "a")
            if isOfAnotherElement { patient?.active = false } else { patient?.name.first?.family = "Three" }
        }
        for _ in 0..<2 { try await device.sync() }
        #expect(backup.contents["Patient/a"]?.contains("Other") == true && backup.writes.isEmpty)
        let conflicts = try await device.synchronizer.changes(.conflict)
        #expect(conflicts.map(\.id) == ["a"] && conflicts.first?.issues.first?.isOfRestoredServer == true)
        #expect(try family(device, "a") == (isOfAnotherElement ? "Two" : "Three"))
    }

    @Test func aStaleSearchChangesNothing() async throws {
        let device = try await pushed { Self.isSearch($0) }
        let before = try device.contents()
        let result = try await device.sync()
        #expect(result.pulled == 0 && result.deferred == 0)
        #expect(try device.contents() == before)
        #expect(try await device.synchronizer.changes().isEmpty)
        isLying.value = false
        try await device.sync()
        #expect(try device.contents() == server.contents)
    }

    /// A device whose searches are answered with a list of entries while the server lies.
    private func device(_ entries: @escaping @Sendable (ModelServer) -> [String]) throws -> Device {
        let (server, isLying) = (server, isLying)
        let transport = StubServer { request, _ in
            guard isLying.value, Self.isSearch(request) else { return try await server.send(request) }
            return .json(#"{"resourceType":"Bundle","type":"searchset","entry":[\#(entries(server).joined(separator: ","))]}"#)
        }
        return try Device(transport, scope: .types("Patient"))
    }

    private static func json(_ server: ModelServer, _ id: String) -> String {
        server.history[SyncKey(typeName: "Patient", id: id)]?.last?.json ?? "{}"
    }

    /// Without versions, a change could overwrite another's edit: it stays, and says why.
    @Test func changesWaitIfTheServerGivesNoVersions() async throws {
        server.put(samplePatient("e", "One"))
        let server = server
        let transport = StubServer { request, _ in
            let answer = try await server.send(request)
            // Neither in resources nor in entries of histories.
            let text = String(decoding: answer.body, as: UTF8.self).replacing(/"versionId":"[0-9]+",?/, with: "")
                .replacing(/,"(?:etag|location)":"(?:\\.|[^"\\])*"/, with: "")
            return .json(text, answer.status)
        }
        let device = try Device(transport, scope: .types("Patient"))
        try await device.sync()
        try device.edit { tx in try tx.upsert(samplePatient("e", "Two")) }
        for _ in 0..<2 {
            #expect(try await device.sync().updated == 0)
            let waiting = try await device.synchronizer.changes(.pending)
            #expect(waiting.map(\.id) == ["e"])
            #expect(waiting.first?.issues.map(\.detailCodes) == [["server-gives-no-version"]])
        }
        #expect(try family(device, "e") == "Two")
    }

    @Test func twoContentsOfOneVersionAreReadAgain() async throws {
        server.put(samplePatient("e", "Honest"))
        isLying.value = true
        let device = try device { server in
            let honest = Self.json(server, "e")
            return [honest, honest.replacing("Honest", with: "Other")].map { #"{"resource":\#($0)}"# }
        }
        #expect(try await device.sync().pulled == 1)
        #expect(try family(device, "e") == "Honest")
        #expect(try device.contents() == server.contents)
    }

    /// An entry with another id than its address, or with an id that is none, is stored under neither.
    @Test(arguments: ["d", "a b"]) func whatHasAnothersAddressIsReadAgain(id: String) async throws {
        for id in ["d", "e"] { server.put(samplePatient(id, "One")) }
        let device = try device { server in
            let json = Self.json(server, "e").replacing(#""id":"e""#, with: #""id":"\#(id)""#)
            return [#"{"fullUrl":"\#(testBase.absoluteString)/Patient/e","resource":\#(json)}"#]
        }
        try await device.sync()
        server.put(samplePatient("e", "Two"))
        isLying.value = true
        #expect(try await device.sync().unreadable == 1)
        #expect(try device.contents() == server.contents)
        #expect(try await device.synchronizer.unreadable().map(\.id) == ["e"])
        isLying.value = false
        #expect(try await device.sync().unreadable == 0)
        #expect(try await device.synchronizer.unreadable().isEmpty)
        #expect(try device.contents() == server.contents)
    }

    @Test func anIDThatIsNoneIsNotStored() async throws {
        server.put(samplePatient("e", "One"))
        isLying.value = true
        let device = try device { server in
            [#"{"resource":\#(Self.json(server, "e").replacing(#""id":"e""#, with: #""id":"a b""#))}"#]
        }
        #expect(try await device.sync().unreadable == 1)
        #expect(try device.contents().isEmpty)
        isLying.value = false
        try await device.sync()
        #expect(try await device.synchronizer.unreadable().isEmpty)
    }
}

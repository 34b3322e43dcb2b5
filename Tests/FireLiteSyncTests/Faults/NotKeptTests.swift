import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Servers that do not keep all that is sent to them, or answer with what they got: nothing of it is lost in the store.
@Suite struct NotKeptTests {
    private let server = ModelServer()

    private func patient(_ id: String, gender: AdministrativeGender = .female) -> Patient {
        let patient = samplePatient(id)
        patient.gender = gender
        patient.telecom = [ContactPoint { $0.value = "555-0100" }]
        return patient
    }

    private func device(
        returnsNothing: Bool, _ grouping: Synchronizer.Configuration.Grouping, _ conflicts: ConflictPolicy = .merge()
    ) throws -> Device {
        server.behavior.returnsNothing = returnsNothing
        return try Device(server, scope: .types("Patient")) {
            $0.grouping = grouping
            $0.conflicts = conflicts
        }
    }

    /// What the server has dropped or set otherwise stays in the store, as a conflict, until somebody decides.
    @Test(arguments: [false, true], [Synchronizer.Configuration.Grouping.transactions, .single])
    func whatTheServerDropsStays(returnsNothing: Bool, grouping: Synchronizer.Configuration.Grouping) async throws {
        server.behavior.changes = { ($0 as? Patient)?.telecom = [] }
        let device = try device(returnsNothing: returnsNothing, grouping)
        try device.edit { try $0.upsert(patient("a")) }
        let before = try device.contents()
        var deferred = 0
        for _ in 0..<3 { deferred += try await device.sync().deferred }
        #expect(deferred == 1)
        #expect(try device.contents() == before)
        let conflicts = try await device.synchronizer.changes(.conflict)
        #expect(conflicts.map(\.id) == ["a"])
        #expect(conflicts.first?.issues.first?.diagnostics == "the server has not kept all that was sent")
        // An edit stays with the rest, and nothing is sent meanwhile.
        try device.edit { try $0.resource(Patient.self, id: "a")?.active = true }
        let writes = server.writes.count
        try await device.sync()
        #expect(try server.writes.count == writes && device.patient("a")?.telecom.count == 1)
        // A server that keeps it gets it.
        server.behavior.changes = { _ in }
        #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .local))
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents() == server.contents)
        #expect(server.contents["Patient/a"]?.contains("555-0100") == true)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// The same of an edit, and of one that was edited again before the answer was read.
    @Test(arguments: [false, true]) func anEditThatTheServerUndoesStays(isEditedAgain: Bool) async throws {
        server.put(patient("a", gender: .male))
        let device = try device(returnsNothing: true, .transactions)
        try await device.sync()
        server.behavior.changes = { ($0 as? Patient)?.gender = .male }
        try device.edit { try $0.resource(Patient.self, id: "a")?.gender = .female }
        try await device.sync(.push)
        if isEditedAgain { try device.edit { try $0.resource(Patient.self, id: "a")?.active = true } }
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.patient("a")?.gender == .female)
        #expect(try await device.synchronizer.changes(.conflict).map(\.id) == ["a"])
        #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .remote))
        try await device.sync()
        #expect(try device.patient("a")?.gender == .male)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Where the server's state wins, it does; what servers add, and narrative that they make, is taken over by every policy.
    @Test func whatServersAddIsNoConflict() async throws {
        let device = try device(returnsNothing: false, .transactions, .server)
        server.behavior.changes = { ($0 as? Patient)?.telecom = [] }
        try device.edit { try $0.upsert(patient("a")) }
        try await device.sync()
        #expect(try device.contents() == server.contents && device.patient("a")?.telecom.isEmpty == true)
        server.behavior.changes = { resource in
            guard let patient = resource as? Patient else { return }
            patient.language = "en"
            patient.text = Narrative {
                $0.status = .generated
                $0.div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">Smith</div>"
            }
        }
        let other = try self.device(returnsNothing: false, .transactions)
        try other.edit { tx in
            let patient = patient("b")
            patient.text = Narrative {
                $0.status = .generated
                $0.div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">Patient</div>"
            }
            try tx.upsert(patient)
        }
        try await other.sync()
        #expect(try other.patient("b")?.language == "en")
        #expect(try await other.synchronizer.changes().isEmpty)
    }

    /// Something that answers with what it got has not shown that it was done.
    @Test(arguments: [Synchronizer.Configuration.Grouping.transactions, .batches, .single])
    func anEchoIsNoProof(grouping: Synchronizer.Configuration.Grouping) async throws {
        server.put(patient("a", gender: .male))
        let isLying = Switch(true)
        let server = server
        let transport = StubServer { request, _ in
            guard isLying.value, request.method == .post || request.method == .put else { return try await server.send(request) }
            guard request.method == .post, let bundle = try? FireLiteR4.Bundle(json: request.body ?? Data()) else {
                return HTTPResponse(request.fields["If-None-Match"] == nil ? 200 : 201, body: request.body ?? Data())
            }
            let entries = bundle.entry.map { entry in
                let status = entry.request?.text("ifMatch") == nil ? 201 : 200
                return #"{"resource":\#(entry.resource.map { FHIRJSON.string($0) } ?? "{}"),"response":{"status":"\#(status)"}}"#
            }
            let type = bundle.text("type") ?? ""
            return .json(#"{"resourceType":"Bundle","type":"\#(type)-response","entry":[\#(entries.joined(separator: ","))]}"#)
        }
        let device = try Device(transport, scope: .types("Patient")) {
            $0.grouping = grouping
            $0.maximumInterruptions = 0
        }
        try await device.sync()
        try device.edit { tx in
            try tx.resource(Patient.self, id: "a")?.gender = .female
            try tx.upsert(patient("b"))
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(try await device.synchronizer.changes().map(\.id).sorted() == ["a", "b"])
        isLying.value = false
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents() == server.contents && server.contents.count == 2)
        #expect(server.contents["Patient/a"]?.contains("female") == true)
    }
}

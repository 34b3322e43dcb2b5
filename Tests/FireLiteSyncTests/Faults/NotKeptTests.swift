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

    /// A server that drops something, and answers with a status alone, gets what it drops no more often than somebody decides.
    @Test(arguments: [false, true], [Synchronizer.Configuration.Grouping.transactions, .single])
    func whatIsDroppedIsNotSentForEver(isNew: Bool, grouping: Synchronizer.Configuration.Grouping) async throws {
        let server = server
        let transport = StubServer { request, _ in
            let answer = try await server.send(request)
            guard request.method == .put else { return answer }
            return HTTPResponse(answer.status, body: Data())
        }
        if !isNew { server.put(patient("a")) }
        let device = try Device(transport, scope: .types("Patient")) { $0.grouping = grouping }
        if !isNew { try await device.sync() }
        server.behavior.changes = { ($0 as? Patient)?.language = nil }
        try device.edit { tx in
            let patient = try tx.resource(Patient.self, id: "a") ?? patient("a")
            patient.language = "en"
            try tx.upsert(patient)
        }
        for _ in 0..<3 { try await device.sync() }
        let versions = server.version("Patient", "a")
        #expect(versions <= 2)
        #expect(try device.patient("a")?.language == "en")
        for round in 1...2 {
            #expect(try await device.synchronizer.changes(.conflict).first?.issues.first?.isNotKept == true)
            #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .local))
            for _ in 0..<2 { try await device.sync() }
            #expect(server.version("Patient", "a") == versions + round)
        }
        server.behavior.changes = { _ in }
        #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .local))
        for _ in 0..<2 { try await device.sync() }
        #expect(try await device.synchronizer.changes().isEmpty)
        #expect(try device.contents() == server.contents && server.contents["Patient/a"]?.contains("\"en\"") == true)
    }

    /// The same of a server that writes something else than it gets.
    @Test(arguments: [false, true], [false, true]) func whatIsRewrittenIsNotSentForEver(isNew: Bool, isTogether: Bool) async throws {
        let server = server
        let transport = StubServer { request, _ in
            let answer = try await server.send(request)
            guard request.method != .get else { return answer }
            let bundle = try? FireLiteR4.Bundle(json: answer.body)
            guard let entries = bundle?.entry else { return HTTPResponse(answer.status, body: Data()) }
            let results = entries.map { #"{"response":{"status":"\#($0.response?.status ?? "")"}}"# }
            return .json(#"{"resourceType":"Bundle","type":"transaction-response","entry":[\#(results.joined(separator: ","))]}"#)
        }
        if !isNew { for id in ["a", "b"] { server.put(patient(id)) } }
        let device = try Device(transport, scope: .types("Patient")) { $0.grouping = .transactions }
        if !isNew { try await device.sync() }
        server.behavior.changes = { resource in
            guard let patient = resource as? Patient, let name = patient.name.first else { return }
            name.given = name.given.map { $0.uppercased() }
        }
        try device.edit { tx in
            for id in isTogether ? ["a", "b"] : ["a"] {
                let patient = try tx.resource(Patient.self, id: id) ?? patient(id)
                patient.name.first?.given = ["own", "other"]
                try tx.upsert(patient)
            }
        }
        for _ in 0..<4 { try await device.sync() }
        #expect(server.version("Patient", "a") <= (isNew ? 2 : 3))
        #expect(try device.patient("a")?.name.first?.given == ["own", "other"])
        #expect(try await device.synchronizer.changes(.conflict).count == (isTogether ? 2 : 1))
        #expect(try await device.synchronizer.resolve("Patient", id: "a", with: .remote))
        try await device.sync()
        #expect(try device.patient("a")?.name.first?.given == ["OWN", "OTHER"])
    }

    /// Additional narrative says what the elements do not.
    @Test(arguments: [(NarrativeStatus.generated, true), (.additional, false)])
    func additionalNarrativeStays(status: NarrativeStatus, isReplaced: Bool) async throws {
        func narrative(_ text: String) -> Narrative {
            Narrative {
                $0.status = status
                $0.div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">\(text)</div>"
            }
        }
        server.behavior.changes = { ($0 as? Patient)?.text?.div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">other</div>" }
        let device = try device(returnsNothing: false, .transactions)
        try device.edit { tx in
            let patient = patient("a")
            patient.text = narrative("own")
            try tx.upsert(patient)
        }
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.patient("a")?.text?.div?.contains("other") == isReplaced)
        #expect(try await device.synchronizer.changes(.conflict).isEmpty == isReplaced)
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

    /// A server resolves searches in transactions, and names what it has without its address or with it; other resources are others.
    @Test(arguments: [
        ("Patient?identifier=http://example.org|1", "Patient/x", true),
        ("Patient?identifier=1", "https://fhir.example.org/base/Patient/x", true),
        ("https://fhir.example.org/base/Patient/a", "Patient/a", true), ("Patient/a", "https://fhir.example.org/base/Patient/a", true),
        ("https://fhir.example.org/base/Patient/a/_history/2", "Patient/a/_history/2", true),
        ("Patient?identifier=1", "Group/x", false), ("Patient?identifier=1", "Patient", false),
        ("https://other.example.org/r4/Patient/a", "Patient/a", false), ("Patient/a", "https://other.example.org/r4/Patient/a", false),
        ("Patient/a/_history/2", "Patient/a", false), ("Patient/a", "Patient/b", false),
        ("https://fhir.example.org/base/Patient/a", "Patient/b", false),
        ("Patient?identifier=1", "https://other.example.org/fhir/Patient/x", false),
        ("Patient?identifier=1", "https://fhir.example.org/baseother/Patient/x", false), ("Patient?_id=a", "Patient/a", true),
        ("Patient?_id=a", "Patient/b", false), ("Patient?", "Patient/x", false), ("Patient?identifier=", "Patient/x", false),
        ("urn:uuid:1b671a64-40d5-491e-99b0-da01ff1f3341", "Patient/x", true),
        ("urn:uuid:1b671a64-40d5-491e-99b0-da01ff1f3341", "https://other.example.org/fhir/Patient/x", false),
    ]) func referencesThatAreResolvedAreNoConflict(sent: String, kept: String, isSame: Bool) async throws {
        server.behavior.changes = { resource in
            guard let observation = resource as? Observation else { return }
            observation.subject = Reference { $0.reference = kept }
        }
        let device = try Device(server, scope: .types("Observation")) { $0.grouping = .transactions }
        try device.edit { tx in
            let observation = sampleObservation("o", of: "a")
            observation.subject = Reference { $0.reference = sent }
            try tx.upsert(observation)
        }
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents()["Observation/o"]?.contains("\"\(isSame ? kept : sent)\"") == true)
        #expect(try await device.synchronizer.changes().map(\.state) == (isSame ? [] : [.conflict]))
    }

    /// What belongs to a reference that was resolved stays: the type, the id and the extensions of its text.
    @Test(arguments: ["type", "extension", "id", nil]) func whatBelongsToAResolvedReferenceStays(dropped: String?) async throws {
        let own = #""_reference":{"id":"r","extension":[{"url":"urn:test","valueCode":"x"}]}"#
        let kept =
            dropped == "id" ? #","_reference":{"extension":[{"url":"urn:test","valueCode":"x"}]}"# : dropped == "extension" ? "" : "," + own
        @Sendable func reference(_ text: String, _ more: String) throws -> Reference {
            try Reference(json: Data(#"{"type":"Patient","reference":"\#(text)"\#(more)}"#.utf8))
        }
        server.behavior.changes = { resource in
            guard let observation = resource as? Observation else { return }
            observation.subject = try? reference(dropped == "type" ? "Group/x" : "Patient/x", kept)
        }
        let device = try Device(server, scope: .types("Observation")) { $0.grouping = .transactions }
        try device.edit { tx in
            let observation = sampleObservation("o", of: "a")
            observation.subject = try reference("Patient?identifier=1", "," + own)
            try tx.upsert(observation)
        }
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents()["Observation/o"]?.contains("urn:test") == true)
        #expect(try await device.synchronizer.changes().map(\.state) == (dropped == nil ? [] : [.conflict]))
    }

    /// A server may make its own narrative; what else belongs to it stays.
    @Test(arguments: [
        #""extension":[{"url":"urn:test","valueCode":"x"}],"#, #""_status":{"extension":[{"url":"urn:test","valueCode":"x"}]},"#,
    ]) func extensionsOfNarrativeStay(extra: String) async throws {
        @Sendable func narrative(_ text: String, _ extra: String) throws -> Narrative {
            let div = #"<div xmlns=\"http://www.w3.org/1999/xhtml\">\#(text)</div>"#
            return try Narrative(json: Data(#"{\#(extra)"status":"generated","div":"\#(div)"}"#.utf8))
        }
        server.behavior.changes = { ($0 as? Patient)?.text = try? narrative("other", "") }
        let device = try device(returnsNothing: false, .transactions)
        try device.edit { tx in
            let patient = patient("a")
            patient.text = try narrative("own", extra)
            try tx.upsert(patient)
        }
        for _ in 0..<2 { try await device.sync() }
        #expect(try device.contents()["Patient/a"]?.contains("urn:test") == true)
        #expect(try await device.synchronizer.changes(.conflict).map(\.id) == ["a"])
    }

    /// The same if the connection is lost after the answer, before what the server has was read: it is not sent again in later runs, either.
    @Test(arguments: [1, 3]) func whatIsDroppedIsNotSentAgainAfterALostConnection(losses: Int) async throws {
        let (server, isLost) = (server, Switch(false))
        let transport = StubServer { request, _ in
            if request.method == .get, isLost.value { throw HTTPTransportError(.connectionLost, "the connection is lost") }
            let answer = try await server.send(request)
            guard request.method == .put else { return answer }
            if server.writes.count <= losses { isLost.value = true }
            return HTTPResponse(answer.status, body: Data())
        }
        let device = try Device(transport, scope: .types("Patient")) {
            $0.grouping = .single
            $0.maximumInterruptions = 0
        }
        server.behavior.changes = { ($0 as? Patient)?.telecom = [] }
        try device.edit { try $0.upsert(patient("a")) }
        for _ in 0..<4 {
            _ = try? await device.sync()
            isLost.value = false
        }
        #expect(server.version("Patient", "a") == 1)
        #expect(try device.patient("a")?.telecom.count == 1)
        #expect(try await device.synchronizer.changes(.conflict).first?.issues.first?.isNotKept == true)
    }

    /// Numbers and times in another form are no conflict, and stay here as they were, also if they were edited again before the answer was read.
    @Test(
        arguments: [
            ("7.1", "2024-05-01T08:00:00Z", true), ("7.1", "2024-05-01T08:00:00.000Z", true), ("7.2", "2024-05-01T08:00:00Z", false),
            ("7.1", "2024-05-01T10:00:00Z", false), ("7.1", "2024-05-01T08:00:00.00000001Z", false),
            ("7.1", "2024-05-01T07:59:60Z", false),
        ],
        [false, true])
    func otherFormsAreNoConflict(_ form: (number: String, time: String, isSame: Bool), isEditedAgain: Bool) async throws {
        server.behavior.returnsNothing = isEditedAgain
        server.behavior.changes = { resource in
            guard let observation = resource as? Observation else { return }
            observation.valueQuantity?.value = FHIRDecimal(form.number)
            observation.component.first?.valueQuantity?.value = FHIRDecimal("100")
            observation.effectiveDateTime = FHIRDateTime(form.time)
            observation.identifier = [Identifier { $0.value = "server" }]
        }
        let device = try Device(server, scope: .types("Observation")) { $0.grouping = .transactions }
        try device.edit { tx in
            let observation = sampleObservation("o", of: "a")
            observation.valueQuantity = Quantity { $0.value = FHIRDecimal("7.10") }
            observation.component = [
                ObservationComponent {
                    $0.code = CodeableConcept { $0.text = "part" }
                    $0.valueQuantity = Quantity { $0.value = FHIRDecimal("1.00e2") }
                }
            ]
            observation.effectiveDateTime = "2024-05-01T10:00:00+02:00"
            try tx.upsert(observation)
        }
        try await device.sync(isEditedAgain ? .push : .both)
        if isEditedAgain { try device.edit { try $0.resource(Observation.self, id: "o")?.status = .amended } }
        for _ in 0..<2 { try await device.sync() }
        let json = try #require(try device.contents()["Observation/o"])
        #expect(json.contains("7.10") && json.contains("1.00e2") && json.contains("2024-05-01T10:00:00+02:00"), "\(json)")
        #expect(json.contains("\"server\"") == form.isSame && json.contains("amended") == isEditedAgain)
        #expect(try await device.synchronizer.changes().map(\.state) == (form.isSame ? [] : [.conflict]))
        #expect(server.contents["Observation/o"]?.contains("amended") == (form.isSame && isEditedAgain))
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

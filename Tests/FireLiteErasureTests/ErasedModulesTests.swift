import FireLiteR4
import FireLiteRecords
import FireLiteSamples
import FireLiteTrust
import Foundation
import TestSupport
import Testing

@testable import FireLiteErasure

/// What modules keep of a person.
struct ErasedModulesTests: ErasureSuite {
    let folder: TestSupport.TemporaryFolder

    init() throws { folder = try TestSupport.TemporaryFolder() }

    /// Who reads samples by number remembers the last one: erasing keeps it, so that later samples are read, and nothing seems to be lost.
    @Test func numbersOfErasedSamplesAreNotGivenAgain() async throws {
        let store = try open()
        try await store.write { tx in _ = try tx.add(Self.patient("1", "A")) }
        var mapping = SampleMapping.standard
        mapping.subject = "Patient/1"
        func keep(_ count: Int, mapping: SampleMapping, from source: String) async throws {
            let samples = (0..<count).map { second in
                Sample(type: .heartRate, start: Date(timeIntervalSince1970: Double(second)), value: .quantity(60, unit: "count/min"))
            }
            let source = MemorySampleSource(samples, name: source)
            try await SampleEngine(store: store, source: source, destinations: [LocalStore(store, mapping: mapping)]).run()
        }
        try await keep(3, mapping: mapping, from: "theirs")
        let reader = StoredSamples(store)
        let first = try await reader.changes(of: .heartRate, after: nil, limit: 10)
        #expect(first.added.count == 3)
        try await store.erase(id: "1")
        #expect(try await store.check().isEmpty)
        try await keep(2, mapping: .standard, from: "others")
        #expect(try await reader.changes(of: .heartRate, after: first.anchor, limit: 10).added.count == 2)
        #expect(try await store.check().isEmpty)
    }

    @Test func recordsGoWithTheirAnnotations() throws {
        let store = try open()
        let records = store.records
        try records.create([Self.patient("1", "A")], annotations: [Self.marker.lowercased()])
        try records.create([Self.patient("2", "B")], annotations: ["others"])
        let report = try store.erase(id: "1")
        #expect(report.rows.contains { $0.name == "_record" && $0.count == 1 })
        #expect(report.rows.contains { $0.name == "_record_annotation" && $0.count == 1 })
        #expect(try files(with: Self.marker.lowercased()).isEmpty && records.summary("Patient", id: "1") == nil)
        #expect(try records.summary("Patient", id: "2")?.annotations == ["others"] && store.check().isEmpty)
    }

    /// An annotation of another's record that names what is erased goes; the record and its other annotations stay, and can be found.
    @Test(arguments: [false, true]) func annotationsOfOthersThatNameThePersonGo(_ isSealed: Bool) throws {
        let store = try open()
        let records = store.records
        if isSealed { records.encryption = .perRecord(try RecordKeyring(), resources: ["Patient": .only("name")]) }
        let (before, after) = (Date(timeIntervalSince1970: 1_000), Date(timeIntervalSince1970: 2_000))
        records.clock = { before }
        try records.create([Self.patient("Pa1", "A")])
        try records.create([Self.observation("o", of: "Pa1", "x")])
        let naming = ["Patient/Pa1", "seen with Patient/Pa1, 2026", "of Observation/o"]
        try records.create([Self.patient("Pa2", "B")], annotations: naming + ["fitness", "Patient/Pa12"])
        try records.create([Self.patient("Pa3", "C"), Self.patient("gone", "D")], annotations: ["Patient/Pa1"])
        try records.create([Self.patient("Pa4", "E")], annotations: ["others"])
        try records.delete(Patient.self, id: "gone")

        records.clock = { after }
        let plan = try store.erasurePlan(id: "Pa1")
        #expect(try records.count("Patient", annotations: ["Patient/Pa1"]) == 2)
        let report = try store.erase(id: "Pa1")
        #expect(report.rows == plan.rows && report.left.isEmpty)
        #expect(report.rows.first { $0.name == "_record_annotation" }?.count == 5)
        for (id, annotations) in [("Pa2", ["fitness", "patient/pa12"]), ("Pa3", []), ("Pa4", ["others"])] {
            let summary = try #require(try records.summary("Patient", id: id))
            #expect(summary.annotations == annotations && summary.isSealed == isSealed)
            #expect(summary.metadata.updated == (id == "Pa4" ? before : after))
        }
        #expect(try store.sql("SELECT count(*) FROM _record_annotation").first?[0].integer == 3)
        #expect(try records.count("Patient", annotations: ["fitness"]) == 1 && records.count("Patient", annotations: ["Patient/Pa1"]) == 0)
        #expect(try records.fetch(Patient.self, id: "Pa2")?.resource.name.first?.family == "B")
        #expect(try files(with: "seen with").isEmpty && store.check().isEmpty)
    }

    /// Annotations are kept in lower case, or as hashes if they are sealed, so that they cannot distinguish ids by their case.
    @Test(arguments: [false, true]) func appDataThatIsAnnotatedWithThePersonGoes(_ isSealed: Bool) throws {
        let store = try open()
        if isSealed { store.records.encryption = .perRecord(try RecordKeyring()) }
        let appData = store.appData
        try store.write { tx in
            try tx.add(Self.patient("Pa1", "A"))
            try tx.add(Self.patient("Pa12", "B"))
        }
        let annotations = ["exact": "Patient/Pa1", "lower": "patient/pa1", "within": "of Patient/Pa1, 2026", "gone": "Patient/Pa1"]
        for (id, annotation) in annotations {
            try appData.put(Data(Self.marker.utf8), id: id, annotations: ["ui", annotation])
        }
        try appData.put(Data("others".utf8), id: "others", annotations: ["Patient/Pa12", "Patients/Pa1"])
        try appData.delete("gone")
        let report = try store.erase(id: "Pa1")
        #expect(report.rows.first { $0.name == "_appdata" }?.count == 4)
        #expect(report.rows.first { $0.name == "_appdata_annotation" }?.count == 8)
        #expect(try appData.query.includingDeleted().summaries().map(\.id) == ["others"])
        #expect(try appData.get("others")?.annotations == ["patient/pa12", "patients/pa1"])
        #expect(report.left == [.init(kind: .unknown, what: "1 item of app data")])
        #expect(try files(with: Self.marker).isEmpty && files(with: "patient/pa1,").isEmpty && store.check().isEmpty)
    }

    /// What cannot be opened is not attributed by what it may say, and the report says so; its id still is.
    @Test func sealedAnnotationsThatCannotBeOpenedAreListed() throws {
        let store = try open()
        store.records.encryption = .perRecord(try RecordKeyring())
        try store.write { try $0.add(Self.patient("1", "A")) }
        for id in ["a", "of Patient/1"] { try store.appData.put(Data("x".utf8), id: id, annotations: ["Patient/1"]) }
        try store.appData.put(Data("x".utf8), id: "plain")
        for keyring in [nil, try RecordKeyring()] {
            store.records.encryption = keyring.map { .perRecord($0) } ?? .none
            let plan = try store.erasurePlan(id: "1")
            #expect(plan.rows.first { $0.name == "_appdata" }?.count == 1)
            #expect(
                plan.left == [
                    .init(kind: .unknown, what: "2 items of app data"),
                    .init(kind: .unknown, what: "sealed annotations of 1 item of app data, which their keyring would open"),
                ])
        }
    }

    /// The audit trail still verifies, and says that something was deleted; the identity loses the person's name and keeps its keys.
    @Test func theAuditTrailAndTheKeysOfIdentitiesStay() throws {
        let store = try open()
        let signer = SigningIdentity(id: "device", key: try PrivateKey())
        _ = try store.startAudit(by: signer)
        let key = try PrivateKey()
        try store.write { tx in
            let keys = [Identity.Key(key.publicKey, from: .distantPast)]
            try tx.setIdentity(Identity(id: "zoe", name: Self.marker, reference: "Patient/1", keys: keys))
            try tx.setIdentity(Identity(id: "Patient/1", keys: []))
            try tx.add(Self.patient("1", Self.marker))
        }
        let report = try store.erase(id: "1")
        #expect(report.left.contains { $0.kind == .audit } && report.left.contains(.init(kind: .reference, what: "identity Patient/1")))
        let entries = try store.read { try $0.auditEntries(about: "Patient", id: "1") }
        #expect(entries.map(\.access.action) == [.create, .delete])
        #expect(try store.read { try $0.verifyAudit(signedBy: [signer.key.publicKey]) }.isIntact)
        let identity = try #require(try store.read { try $0.identity("zoe") })
        #expect(identity.name == nil && identity.reference == nil && identity.keys.count == 1)
        #expect(try files(with: Self.marker).isEmpty)
    }

    /// Where a Consent stays, its permission does; where it goes, the permission goes with it.
    @Test func permissionsGoWithTheirConsents() throws {
        let store = try open()
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        try store.write { tx in
            try tx.setIdentity(Identity(id: "owner", authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)]))
            try tx.add(Self.patient("1", "A"))
            var rule = AccessRule(.deny, to: ["dr"])
            rule.compartments = ["Patient/1"]
            _ = try tx.grant(AccessPermission(id: "no", grantor: "owner", rule: rule), signedBy: owner)
            _ = try tx.grant(AccessPermission(id: "theirs", grantor: "owner", patient: "Patient/1", rule: rule), signedBy: owner)
        }
        func permissions() throws -> Int64? { try store.sql("SELECT count(*) FROM _permission").first?[0].integer }
        #expect(try permissions() == 2)
        let report = try store.erase(id: "1")
        #expect(report.left.contains(.init(kind: .reference, what: "Consent/no")))
        #expect(try permissions() == 1 && store.count(Consent.self) == 1 && store.check().isEmpty)
    }

    @Test func uuidsAreFoundInRequests() throws {
        let uuid = UUID()
        func isFound(_ uuid: UUID, in value: SQLValue) -> Bool { ReferenceTokens.hasAny(of: [uuid] as Set<UUID>, in: value) }
        let name = uuid.uuidString
        for text in ["urn:uuid:\(name)", "Device?identifier=x%7C\(name.lowercased())", "{\"value\":\"\(name)\"}", name] {
            #expect(isFound(uuid, in: .text(text)) && isFound(uuid, in: .blob([UInt8](text.utf8))) && !isFound(UUID(), in: .text(text)))
        }
        #expect(!isFound(uuid, in: .text(name + "0")) && !isFound(uuid, in: .null) && !isFound(uuid, in: .text(String(name.dropLast()))))
    }
}

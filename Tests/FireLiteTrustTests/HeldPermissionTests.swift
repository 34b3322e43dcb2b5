import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

/// What was stated validly holds, whatever is written over the Consent and its signature.
@Suite struct HeldPermissionTests {
    fileprivate static let now = Date(timeIntervalSince1970: 1_750_000_000)

    /// A store with one observation, an owner, and a second identity that may deny.
    fileprivate struct Ward {
        let store: FHIRStore
        let owner: SigningIdentity
        let patient: SigningIdentity
        private var now: Date { HeldPermissionTests.now }

        init(_ other: Ward? = nil, path: String? = nil) throws {
            store = try path.map { try FHIRStore(path: $0, release: .r4) } ?? FHIRStore.inMemory(release: .r4)
            owner = try other?.owner ?? SigningIdentity(id: "owner", key: PrivateKey())
            patient = try other?.patient ?? SigningIdentity(id: "patient", key: PrivateKey())
            let identities = [(owner, Identity.Authority.everything), (patient, .compartment("Patient/1"))].map { signer, authority in
                Identity(id: signer.id, authority: authority, keys: [.init(signer.key.publicKey, from: .distantPast)])
            }
            try store.write { tx in
                for identity in identities { try tx.setIdentity(identity) }
                try tx.upsert(
                    Observation {
                        $0.id = "o"
                        $0.subject = Reference { $0.reference = "Patient/1" }
                    })
            }
        }

        func grant(_ id: String, _ rule: AccessRule, by signer: SigningIdentity? = nil) throws {
            let signer = signer ?? owner
            try store.write { _ = try $0.grant(AccessPermission(id: id, grantor: signer.id, rule: rule), signedBy: signer, at: now) }
        }

        /// Changes rows of a module as damage would; returns their number.
        func run(_ sql: String, of module: ModuleTables) throws -> Int { try store.write { try $0.run(on: module, sql) } }

        /// Permits everything to everybody.
        func open() throws { try grant("open", AccessRule(.permit, to: [])) }

        var isOpen: Bool {
            get throws {
                let decision = try store.read { tx in
                    try tx.decision(on: PermissionRequest(actor: "dr", at: now), typeName: "Observation", id: "o")
                }
                let view = store.restricted(to: "dr") { now }
                #expect(try view.query(Observation.self).count() == (decision.isPermitted ? 1 : 0))
                return decision.isPermitted
            }
        }

        func standings(_ id: String) throws -> [StoredPermission.Standing] {
            try store.read { try $0.permissions() }.filter { $0.permission.id == id }.map(\.standing)
        }

        /// Imports resources as the tool does.
        func load(_ lines: [String]) throws {
            let folder = try TemporaryFolder()
            let file = URL(fileURLWithPath: folder.file("in.ndjson"))
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            try store.importResources(from: file)
        }

        func json(_ type: String, _ id: String) throws -> String {
            try FHIRJSON.string(store.resource(typeName: type, id: id).unwrapped())
        }

        /// All Consents and Provenances, as an export has them.
        func exported() throws -> [String] {
            try store.query(Consent.self).all().map { FHIRJSON.string($0) } + store.query(Provenance.self).all().map { FHIRJSON.string($0) }
        }

        /// The id of the Provenance with the signature of a Consent.
        func provenance(of id: String) throws -> String {
            try store.query(Provenance.self).all().first { $0.target.first?.reference == "Consent/\(id)" }?.id.unwrapped() ?? ""
        }
    }

    // MARK: - Denials

    private static func changed(_ json: String) -> String { json.replacingOccurrences(of: "\"deny\"", with: "\"permit\"") }

    @Test func aChangedConsentStillDenies() throws {
        let ward = try Ward()
        try ward.open()
        #expect(try ward.isOpen)
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        #expect(try !ward.isOpen)
        try ward.load([Self.changed(ward.json("Consent", "no"))])
        #expect(try ward.store.resource(Consent.self, id: "no")?.provision?.type == .permit)
        #expect(try !ward.isOpen && ward.standings("no") == [.denialsOnly])
        // Nor does another status end it.
        try ward.load([ward.json("Consent", "no").replacingOccurrences(of: "\"active\"", with: "\"inactive\"")])
        #expect(try !ward.isOpen && ward.standings("no") == [.denialsOnly])
    }

    @Test func aBareProvenanceTakesNoSignatureAway() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        let id = try ward.provenance(of: "no")
        let signed = try ward.json("Provenance", id)
        try ward.load([
            #"{"resourceType":"Provenance","id":"\#(id)","target":[{"reference":"Consent/no"}],"recorded":"2026-01-01T00:00:00Z","agent":[{"who":{"display":"x"}}]}"#
        ])
        #expect(try !ward.isOpen && ward.standings("no") == [.valid])
        // The signature is put back: what is exported shows it.
        #expect(try ward.json("Provenance", id) == signed)
        try ward.load([#"{"resourceType":"Provenance","id":"\#(id)","recorded":"2026-01-01T00:00:00Z"}"#])
        #expect(try !ward.isOpen && ward.json("Provenance", id) == signed)
    }

    @Test func deletedConsentsStillDeny() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        let id = try ward.provenance(of: "no")
        try ward.store.write { tx in
            try tx.delete(Consent.self, id: "no")
            try tx.delete(Provenance.self, id: id)
        }
        #expect(try !ward.isOpen && ward.standings("no") == [.denialsOnly])
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.owner, at: Self.now) }
        #expect(try ward.isOpen && ward.standings("no") == [.inactive])
    }

    /// The other columns of a row only serve to find it. Changing them grants no access, and `check` reports the row.
    @Test(arguments: ["active = 0", "version = 99", "consent = 'other'"])
    func aChangedRowStillDeniesAsItWasSigned(_ change: String) throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        #expect(try !ward.isOpen && ward.store.check().isEmpty)
        let changed = try ward.store.write { tx in
            try tx.run(on: PermissionTables.module, "UPDATE _permission SET \(change) WHERE consent = 'no'")
        }
        #expect(changed == 1)
        #expect(try !ward.isOpen && ward.standings("no") == [.valid])
        #expect(try ward.store.check().contains { $0.table == "_permission" })
    }

    /// What a permit does not cover stays hidden when its Consent is replaced, and what it covered is no longer permitted.
    @Test func exceptionsOfChangedPermitsStillDeny() throws {
        let ward = try Ward()
        try ward.grant("some", AccessRule(.permit, to: ["dr"], exceptions: [AccessRule(.deny, to: [], types: ["Observation"])]))
        try ward.load([ward.json("Consent", "some").replacingOccurrences(of: "dr", with: "drx")])
        try ward.open()
        #expect(try !ward.isOpen && ward.standings("some") == [.denialsOnly])
    }

    @Test func onlyTheGrantorOrTheOwnerEndsADenial() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]), by: ward.patient)
        #expect(try !ward.isOpen)
        // Another identity with a signature of its own replaces the Consent.
        let stranger = SigningIdentity(id: "stranger", key: try PrivateKey())
        let json = try Self.changed(ward.json("Consent", "no")).replacingOccurrences(of: "\"patient\"", with: "\"stranger\"")
        try ward.store.write { tx in
            let key = Identity.Key(stranger.key.publicKey, from: .distantPast)
            try tx.setIdentity(Identity(id: "stranger", authority: .compartment("Patient/1"), keys: [key]))
            let consent = try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4))
            try tx.sign(consent, by: stranger, at: Self.now.addingTimeInterval(60))
        }
        #expect(try !ward.isOpen && Set(ward.standings("no")) == [.valid, .denialsOnly])
        try ward.store.write { try $0.revokePermission("no", signedBy: stranger, at: Self.now.addingTimeInterval(120)) }
        #expect(try !ward.isOpen)
        // The grantor revokes what it has stated, whatever the Consent says now.
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.patient, at: Self.now) }
        #expect(try ward.isOpen)
    }

    @Test func theGrantorReplacesADenialWithASignature() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        let denial = try ward.exported()
        try ward.store.write { tx in
            let consent = try tx.resource(Consent.self, id: "no").unwrapped()
            consent.provision?.type = .permit
            try tx.saveChanges()
            try tx.sign(consent, by: ward.owner, at: Self.now)
        }
        #expect(try ward.isOpen && ward.standings("no") == [.valid])
        // The older denial does not come back, and the newer permit is put back.
        try ward.load(denial)
        #expect(try ward.isOpen && ward.standings("no") == [.valid])
    }

    // MARK: - Revocations

    @Test func anOlderExportUndoesNoRevocation() throws {
        let ward = try Ward()
        try ward.open()
        let older = try ward.exported()
        try ward.store.write { try $0.revokePermission("open", signedBy: ward.owner, at: Self.now) }
        #expect(try !ward.isOpen)
        try ward.load(older)
        #expect(try !ward.isOpen && ward.standings("open") == [.inactive])
        #expect(try ward.store.resource(Consent.self, id: "open")?.status == .inactive)
        // One after the other, in either order.
        for line in older + older.reversed() { try ward.load([line]) }
        #expect(try !ward.isOpen && ward.standings("open") == [.inactive])
    }

    @Test func aRevocationTravelsWithAnExport() throws {
        let ward = try Ward()
        try ward.open()
        let older = try ward.exported()
        try ward.store.write { try $0.revokePermission("open", signedBy: ward.owner, at: Self.now) }
        // Whatever was written over it meanwhile.
        try ward.load(older.filter { $0.contains("\"Consent\"") })
        try ward.load([#"{"resourceType":"Provenance","id":"\#(try ward.provenance(of: "open"))","recorded":"2026-01-01T00:00:00Z"}"#])
        let newer = try ward.exported()
        for lines in [[newer, older], [older, newer], [newer, older, newer]] {
            let other = try Ward(ward)
            for part in lines { try other.load(part) }
            #expect(try !other.isOpen && other.standings("open") == [.inactive])
        }
    }

    @Test func anOlderPermitDoesNotReplaceANarrowerOne() throws {
        let ward = try Ward()
        try ward.open()
        let older = try ward.exported()
        try ward.store.write { tx in
            let consent = try tx.resource(Consent.self, id: "open").unwrapped()
            consent.provision?.class = [Coding { ($0.system, $0.code) = ("http://hl7.org/fhir/resource-types", "Patient") }]
            try tx.saveChanges()
            try tx.sign(consent, by: ward.owner, at: Self.now)
        }
        #expect(try !ward.isOpen)
        try ward.load(older)
        #expect(try !ward.isOpen && ward.standings("open") == [.valid])
        // Without its signature, too.
        try ward.load([older[0]])
        #expect(try !ward.isOpen)
    }

    /// Signatures that earlier versions made have neither a number nor the content.
    @Test func detachedSignaturesCount() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        let consent = try ward.store.resource(Consent.self, id: "no").unwrapped()
        let header =
            #"{"alg":"ES256","kid":"\#(ward.owner.key.publicKey.id)","sigT":"2025-06-15T15:06:40.000Z","canon":"urn:firelite:canonical-json:1"}"#
        let other = try Ward(ward)
        try other.open()
        let canonical = try other.canonical(consent)
        let input = "\(Data(header.utf8).base64URLText).\(canonical.base64URLText)"
        let signature = try ward.owner.key.signature(of: Data(input.utf8)).base64URLText
        let text = "\(Data(header.utf8).base64URLText)..\(signature)"
        let provenance =
            #"{"resourceType":"Provenance","id":"p","target":[{"reference":"Consent/no"}],"recorded":"2026-01-01T00:00:00Z","agent":[{"who":{"display":"x"}}],"signature":[{"type":[{"code":"x"}],"when":"2026-01-01T00:00:00Z","who":{"display":"x"},"sigFormat":"application/jose","data":"\#(Data(text.utf8).base64EncodedString())"}]}"#
        // In one order and in the other.
        for lines in [[provenance, FHIRJSON.string(consent)], [FHIRJSON.string(consent), provenance]] {
            let store = try Ward(ward)
            try store.open()
            for line in lines { try store.load([line]) }
            #expect(try !store.isOpen && store.standings("no") == [.valid])
            try store.load([Self.changed(FHIRJSON.string(consent))])
            #expect(try !store.isOpen && store.standings("no") == [.denialsOnly])
        }
    }

    // MARK: - The file

    @Test func whatWasStatedIsInTheAuditTrailAndInBackups() throws {
        let folder = try TemporaryFolder()
        let ward = try Ward(path: folder.file("a.sqlite"))
        try ward.store.startAudit(by: ward.owner)
        try ward.open()
        try ward.store.write { try $0.revokePermission("open", signedBy: ward.owner, at: Self.now) }
        let entries = try ward.store.read { try $0.auditEntries(about: "Consent", id: "open") }
        #expect(entries.filter { $0.access.action == .execute }.map(\.access.version) == [1, 2])
        #expect(entries.filter { $0.access.action == .execute }.allSatisfy { $0.party.actor == "owner" })
        try ward.store.backup(to: URL(fileURLWithPath: folder.file("b.sqlite")))
        _ = try FHIRStore.recover(
            from: URL(fileURLWithPath: folder.file("b.sqlite")), to: URL(fileURLWithPath: folder.file("c.sqlite")), release: .r4)
        for name in ["b.sqlite", "c.sqlite"] {
            let copy = try Ward(ward, path: folder.file(name))
            #expect(try !copy.isOpen && copy.standings("open") == [.inactive])
            #expect(try copy.store.check().isEmpty)
        }
    }

    @Test func checkComparesPermissionsWithTheirConsents() throws {
        let folder = try TemporaryFolder()
        let ward = try Ward(path: folder.file("a.sqlite"))
        try ward.store.startAudit(by: ward.owner)
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        #expect(try ward.store.check().isEmpty)
        try ward.load([Self.changed(ward.json("Consent", "no"))])
        #expect(try ward.store.check().map(\.kind) == [.mismatch])
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.owner, at: Self.now) }
        #expect(try ward.store.check().isEmpty)
        // Rows that were changed or are lost.
        for (sql, text) in [
            (
                "UPDATE _permission SET content = replace(content, 'inactive', 'active') WHERE consent = 'no'",
                "does not match its signature"
            ),
            ("DELETE FROM _permission WHERE consent = 'no'", "the audit trail has a newer statement"),
        ] {
            let copy = folder.file("copy.sqlite")
            try ward.store.backup(to: URL(fileURLWithPath: copy), replacing: true)
            let store = try FHIRStore(path: copy, release: .r4)
            store.keepPermissions()
            _ = try store.write { try $0.run(on: PermissionTables.module, sql) }
            let findings = try store.check()
            #expect(findings.count == 1 && findings[0].text.contains(text), "\(findings)")
            try store.close()
        }
    }

    // MARK: - Lost rows

    /// An identity that is missing may have denied anything. One whose authority was taken away denies no more.
    @Test func aLostIdentityStillDenies() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]), by: ward.patient)
        #expect(try !ward.isOpen && ward.store.check().isEmpty)
        #expect(try ward.run("DELETE FROM _trust_identity WHERE id = 'patient'", of: TrustTables.module) == 1)
        #expect(try !ward.isOpen && ward.standings("no") == [.denialsOnly])
        let findings = try ward.store.check()
        #expect(findings.count == 1 && findings[0].text.contains("the identity that signed"), "\(findings)")
        // Its keys are still there.
        try ward.store.write { try $0.setIdentity(Identity(id: "patient", authority: .compartment("Patient/1"))) }
        #expect(try !ward.isOpen && ward.standings("no") == [.valid] && ward.store.check().isEmpty)
        try ward.store.write { try $0.setIdentity(Identity(id: "patient", authority: .none)) }
        #expect(try ward.isOpen)
    }

    @Test(arguments: ["''", "'nobody'", "'Nothing/1'", "x'00'"])
    func anAuthorityThatIsNoCompartmentDeniesEverything(_ authority: String) throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]), by: ward.patient)
        #expect(try ward.run("UPDATE _trust_identity SET authority = \(authority) WHERE id = 'patient'", of: TrustTables.module) == 1)
        #expect(try !ward.isOpen)
        #expect(try ward.store.check().map(\.table) == ["_trust_identity"])
        // Nor does it permit anything.
        try ward.store.write { try $0.revokePermission("open", signedBy: ward.owner, at: Self.now) }
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.owner, at: Self.now) }
        try ward.grant("yes", AccessRule(.permit, to: ["dr"]), by: ward.patient)
        #expect(try !ward.isOpen && ward.standings("yes") == [.valid])
        for text in ["", "nobody", "Nothing/1"] {
            let identity = Identity(id: "patient", authority: .compartment(text))
            #expect(throws: TrustError.self) { try ward.store.write { try $0.setIdentity(identity) } }
        }
    }

    /// What a row of a deleted Consent can still say holds, and what it cannot say is everything. The owner can end it.
    @Test(arguments: [
        "signer = NULL", "moment = NULL", "content = NULL", "content = 'x'", "signature = NULL", "signer = NULL, signature = NULL",
        "content = NULL, signature = NULL", "version = NULL, active = NULL, content = NULL, signature = NULL",
    ])
    func aDamagedRowStillDenies(_ damage: String) throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]), by: ward.patient)
        let id = try ward.provenance(of: "no")
        try ward.store.write { tx in
            try tx.delete(Consent.self, id: "no")
            try tx.delete(Provenance.self, id: id)
        }
        #expect(try ward.run("UPDATE _permission SET \(damage) WHERE consent = 'no'", of: PermissionTables.module) == 1)
        #expect(try !ward.isOpen && ward.standings("no") == [.denialsOnly])
        let findings = try ward.store.check()
        #expect(findings.contains { $0.text.contains("1 statement about a Consent is damaged") }, "\(findings)")
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.owner, at: Self.now) }
        #expect(try ward.isOpen)
    }

    /// A row that has lost the content of its statement ends no denial, and an older statement does not take its place.
    @Test func aDamagedRevocationOpensNothing() throws {
        let ward = try Ward()
        try ward.open()
        let older = try ward.exported()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]), by: ward.patient)
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.owner, at: Self.now) }
        #expect(try ward.isOpen)
        let damage = "UPDATE _permission SET content = NULL, signature = NULL"
        #expect(try ward.run("\(damage) WHERE consent = 'no' AND signer = 'owner'", of: PermissionTables.module) == 1)
        #expect(try !ward.isOpen)
        try ward.store.write { try $0.revokePermission("no", signedBy: ward.owner, at: Self.now) }
        #expect(try ward.isOpen)
        try ward.store.write { try $0.revokePermission("open", signedBy: ward.owner, at: Self.now) }
        #expect(try ward.run("\(damage) WHERE consent = 'open'", of: PermissionTables.module) == 1)
        try ward.load(older)
        #expect(try !ward.isOpen && Set(ward.standings("open")) == [.denialsOnly])
    }

    /// Without an audit trail, the signatures of the Consents show that rows are lost.
    @Test func aLostRowIsFoundByTheSignature() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        #expect(try ward.store.check().isEmpty)
        #expect(try ward.run("DELETE FROM _permission WHERE consent = 'no'", of: PermissionTables.module) == 1)
        let findings = try ward.store.check()
        #expect(findings.count == 1 && findings[0].text.contains("_permission does not have"), "\(findings)")
        #expect(try !ward.isOpen)
        try ward.store.write { tx in
            let consent = try tx.resource(Consent.self, id: "no").unwrapped()
            try tx.sign(consent, by: ward.owner, at: Self.now)
        }
        #expect(try ward.store.check().isEmpty && !ward.isOpen)
    }

    /// A store object that was opened anew knows what was stated before.
    @Test func aStoreThatIsOpenedAgainGoesOn() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        let ward = try Ward(path: path)
        try ward.open()
        let older = try ward.exported()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        try ward.store.write { try $0.revokePermission("open", signedBy: ward.owner, at: Self.now) }
        // Nothing in this store object knows of permissions.
        let plain = try FHIRStore(path: path, release: .r4)
        try plain.write { tx in
            for line in try older + [Self.changed(ward.json("Consent", "no"))] {
                try tx.upsert(FHIRJSON.resource(from: Data(line.utf8), release: .r4))
            }
        }
        let again = try FHIRStore(path: path, release: .r4)
        let standings = try again.read { try $0.permissions() }.map { "\($0.permission.id) \($0.standing)" }
        #expect(Set(standings) == ["open inactive", "no denialsOnly"])
    }

    @Test func statementsOfIdentitiesThatComeLaterCount() throws {
        let ward = try Ward()
        try ward.open()
        try ward.grant("no", AccessRule(.deny, to: ["dr"]))
        let lines = try ward.exported()
        let other = try FHIRStore.inMemory(release: .r4)
        for line in lines { try other.write { _ = try $0.upsert(FHIRJSON.resource(from: Data(line.utf8), release: .r4)) } }
        let late = try Ward(ward)
        try late.load(lines)
        let key = Identity.Key(ward.owner.key.publicKey, from: .distantPast)
        try other.write { try $0.setIdentity(Identity(id: "owner", authority: .everything, keys: [key])) }
        try other.write { tx in
            let consent = try tx.resource(Consent.self, id: "no").unwrapped()
            consent.provision?.type = .permit
        }
        let standings = try other.read { try $0.permissions() }.filter { $0.permission.id == "no" }.map(\.standing)
        #expect(standings == [.denialsOnly])
    }
}

extension HeldPermissionTests.Ward {
    /// The bytes that a signature of a Consent signs.
    fileprivate func canonical(_ consent: FHIRResource) throws -> Data {
        try store.write { tx in
            let stored = try tx.upsert(FHIRJSON.resource(from: FHIRJSON.data(consent), release: .r4))
            let provenance = try tx.sign(stored, by: owner, at: HeldPermissionTests.now)
            let data = (provenance as? Provenance)?.signature.first?.data.flatMap { Data(base64Encoded: $0) } ?? Data()
            return try JWS(String(decoding: data, as: UTF8.self)).payload
        }
    }
}

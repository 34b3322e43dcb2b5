import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

/// What a row says counts as far as its signature covers it, and nobody takes the place of identities that are lost.
@Suite struct LostIdentityTests {
    private static let now = Date(timeIntervalSince1970: 1_750_000_000)
    private let store: FHIRStore
    private let owner: SigningIdentity
    private let patient: SigningIdentity
    private let stranger: SigningIdentity

    /// A store in which the owner permits everything, and a patient denies everything.
    init() throws {
        store = try FHIRStore.inMemory(release: .r4)
        owner = SigningIdentity(id: "owner", key: try PrivateKey())
        patient = SigningIdentity(id: "patient", key: try PrivateKey())
        stranger = SigningIdentity(id: "stranger", key: try PrivateKey())
        try add(owner, .everything)
        try add(patient, .compartment("Patient/1"))
        try store.write { tx in
            try tx.upsert(
                Observation {
                    $0.id = "o"
                    $0.subject = Reference { $0.reference = "Patient/1" }
                })
        }
        try grant("open", .permit, by: owner)
        try grant("no", .deny, by: patient)
    }

    private func add(_ signer: SigningIdentity, _ authority: Identity.Authority) throws {
        let identity = Identity(id: signer.id, authority: authority, keys: [.init(signer.key.publicKey, from: .distantPast)])
        try store.write { try $0.setIdentity(identity) }
    }

    private func grant(_ id: String, _ kind: AccessPermission.Kind, by signer: SigningIdentity) throws {
        let permission = AccessPermission(id: id, grantor: signer.id, rule: AccessRule(kind, to: []))
        try store.write { _ = try $0.grant(permission, signedBy: signer, at: Self.now) }
    }

    private func revoke(_ id: String, by signer: SigningIdentity) throws {
        try store.write { try $0.revokePermission(id, signedBy: signer, at: Self.now) }
    }

    private func run(_ sql: String, of module: ModuleTables = TrustTables.module) throws -> Int {
        try store.write { try $0.run(on: module, sql) }
    }

    private var isOpen: Bool {
        get throws {
            let request = PermissionRequest(actor: "dr", at: Self.now)
            return try store.read { try $0.decision(on: request, typeName: "Observation", id: "o") }.isPermitted
        }
    }

    private func finds(_ table: String, _ text: String) throws -> Bool {
        try store.check().contains { $0.table == table && $0.text.contains(text) }
    }

    private func expectRefusal(_ body: () throws -> Void) { #expect(refusal(body) == .invalidArgument) }

    // MARK: - Statements

    @Test func theStoreIsClosedAndSound() throws {
        #expect(try !isOpen && store.check().isEmpty)
        try revoke("no", by: patient)
        #expect(try isOpen && store.check().isEmpty)
    }

    /// Whatever a column says that the signature does not.
    @Test(arguments: [
        #"content = replace(content, '"status":"active"', '"status":"activf"')"#,
        #"content = replace(content, '"status":"active"', '"status":"inactive"')"#,
        #"content = replace(content, ',"status":"active"', '')"#, #"content = replace(content, '"deny"', '"permit"')"#,
        #"active = 0, version = 9, signature = 'x', content = replace(content, '"status":"active"', '"status":"inactive"')"#,
        "active = 0, signature = NULL, content = NULL", "signer = 'owner', active = 0", "signer = 'nobody', signature = 'x'", "moment = 0",
        "consent = 'other'", "version = 9, active = 0",
    ])
    func aRowSaysWhatItsSignatureCovers(_ change: String) throws {
        #expect(try run("UPDATE _permission SET \(change) WHERE consent = 'no'", of: PermissionTables.module) == 1)
        #expect(try !isOpen)
        #expect(try finds("_permission", "does not match its signature"))
        // Nor is anything open if the Consent is gone.
        try store.write { tx in
            for provenance in try tx.query(Provenance.self).all() where provenance.target.first?.reference == "Consent/no" {
                try tx.delete(Provenance.self, id: provenance.id ?? "")
            }
            try tx.delete(Consent.self, id: "no")
        }
        #expect(try !isOpen)
    }

    /// A revocation that differs from what was signed ends nothing, and one that was signed does.
    @Test func aChangedRevocationEndsNothing() throws {
        try revoke("no", by: owner)
        #expect(try isOpen)
        #expect(
            try run("UPDATE _permission SET moment = moment + 1 WHERE signer = 'owner' AND active = 0", of: PermissionTables.module) == 1)
        #expect(try !isOpen)
        try revoke("no", by: owner)
        #expect(try isOpen)
    }

    // MARK: - Identities

    @Test(arguments: [["_trust_identity"], ["_trust_identity", "_trust_key"], ["_trust_identity", "_trust_key", "_permission"]])
    func nobodyTakesThePlaceOfLostIdentities(_ tables: [String]) throws {
        for table in tables {
            #expect(try run("DELETE FROM \(table)", of: table == "_permission" ? PermissionTables.module : TrustTables.module) > 0)
        }
        #expect(try !isOpen)
        #expect(try !store.check().isEmpty)
        expectRefusal { try add(stranger, .everything) }
        expectRefusal { try add(stranger, .compartment("Patient/1")) }
        expectRefusal { try store.write { try $0.requireIdentities() } }
        // Nor with the name of a lost one.
        expectRefusal { try add(SigningIdentity(id: "owner", key: stranger.key), .everything) }
        #expect(try store.read { try $0.identities() }.isEmpty)
        if tables.count < 3 {
            try add(owner, .everything)
            try add(patient, .compartment("Patient/1"))
            #expect(try !isOpen && store.check().isEmpty)
            try add(stranger, .compartment("Patient/1"))
        } else {
            // Nor does somebody who has signed take the owner's, or audit.
            expectRefusal { try add(patient, .everything) }
            expectRefusal { try add(patient, .none) }
            expectRefusal { try store.startAudit(by: stranger) }
            #expect(try finds("_trust_identity", "2 identities are lost, and the owner may be among them: restore a backup"))
            try store.write { try $0.acceptLostIdentities() }
            expectRefusal { try add(stranger, .everything) }
            try add(owner, .everything)
            // What the patient denies counts again once the patient is there again.
            try add(patient, .compartment("Patient/1"))
            #expect(try !isOpen)
        }
    }

    /// The file notes how many identities it has had: it is none without permissions if all signatures are gone as well.
    @Test func anEmptiedFileIsNoNewOne() throws {
        try store.write { tx in
            for provenance in try tx.query(Provenance.self).all() { try tx.delete(Provenance.self, id: provenance.id ?? "") }
            for id in ["open", "no"] { try tx.delete(Consent.self, id: id) }
        }
        for table in ["_trust_identity", "_trust_key"] { #expect(try run("DELETE FROM \(table)") == 2) }
        #expect(try run("DELETE FROM _permission", of: PermissionTables.module) == 2)
        #expect(try !isOpen && finds("_trust_identity", "2 identities are lost"))
        #expect(try finds("_permission", "2 statements about Consents are lost"))
        for signer in [owner, patient, stranger] { expectRefusal { try add(signer, .everything) } }
        try store.write { try $0.acceptLostIdentities() }
        #expect(try store.check().isEmpty)
        try add(stranger, .everything)
        #expect(try !isOpen && store.check().isEmpty)
    }

    /// An owner that is left adds others, also if an identity is lost with all that names it.
    @Test func anOwnerThatIsLeftGoesOn() throws {
        try add(stranger, .none)
        for (table, column) in [("_trust_identity", "id"), ("_trust_key", "identity")] {
            #expect(try run("DELETE FROM \(table) WHERE \(column) = 'stranger'") == 1)
        }
        #expect(try finds("_trust_identity", "1 identity is lost: restore a backup"))
        try add(stranger, .none)
        #expect(try store.check().isEmpty)
    }

    /// The denial of a Consent that was deleted is known by its row alone.
    @Test func aLostStatementIsCounted() throws {
        try store.write { tx in
            for provenance in try tx.query(Provenance.self).all() where provenance.target.first?.reference == "Consent/no" {
                try tx.delete(Provenance.self, id: provenance.id ?? "")
            }
            try tx.delete(Consent.self, id: "no")
        }
        #expect(try !isOpen)
        #expect(try run("DELETE FROM _permission WHERE consent = 'no'", of: PermissionTables.module) == 1)
        #expect(try finds("_permission", "1 statement about a Consent is lost"))
    }

    /// The number goes with the file: into a backup, and into what is recovered.
    @Test func copiesKeepTheNumber() throws {
        let folder = try TemporaryFolder()
        let (copy, recovered) = (folder.file("b.sqlite"), folder.file("c.sqlite"))
        try store.backup(to: URL(fileURLWithPath: copy))
        _ = try FHIRStore.recover(from: URL(fileURLWithPath: copy), to: URL(fileURLWithPath: recovered), release: .r4)
        for path in [copy, recovered] {
            let store = try FHIRStore(path: path, release: .r4)
            store.keepPermissions()
            #expect(try store.check().isEmpty)
            try store.write { tx in
                for table in ["_trust_identity", "_trust_key"] { try tx.run(on: TrustTables.module, "DELETE FROM \(table)") }
                try tx.run(on: PermissionTables.module, "DELETE FROM _permission")
            }
            let identity = Identity(id: "patient", authority: .everything, keys: [.init(patient.key.publicKey, from: .distantPast)])
            expectRefusal { try store.write { try $0.setIdentity(identity) } }
            #expect(try store.check().contains { $0.text.contains("2 identities are lost, and the owner may be among them") })
            try store.close()
        }
    }

    @Test func aLostIdentityIsNamedThoughItSignedNothing() throws {
        try add(stranger, .none)
        #expect(try run("DELETE FROM _trust_identity WHERE id = 'stranger'") == 1)
        #expect(try finds("_trust_identity", "the identity stranger is lost"))
        expectRefusal { try add(SigningIdentity(id: "other", key: PrivateKey()), .everything) }
        try add(stranger, .none)
        #expect(try store.check().isEmpty)
    }

    @Test func anAuthorityThatIsLostIsNone() throws {
        try grant("mine", .deny, by: owner)
        try revoke("no", by: patient)
        #expect(try run("UPDATE _trust_identity SET authority = NULL") == 2)
        #expect(try !isOpen)
        #expect(try finds("_trust_identity", "the authority of the identity owner is lost"))
        expectRefusal { try add(stranger, .everything) }
        expectRefusal { try store.write { try $0.requireIdentities() } }
        try add(owner, .everything)
        try add(patient, .none)
        #expect(try !isOpen && store.check().isEmpty)
        // An authority that was taken away is no loss.
        try revoke("mine", by: owner)
        #expect(try isOpen)
    }

    // MARK: - Keys

    @Test(arguments: [
        ("jwk = NULL", "cannot be read"), ("jwk = '{'", "cannot be read"), ("kid = NULL", "cannot be read"),
        ("begins = NULL", "has lost the beginning"), ("ends = 'x'", "has an end that is no time"),
    ])
    func aDamagedKeyIsAFinding(_ damage: String, _ text: String) throws {
        #expect(try run("UPDATE _trust_key SET \(damage) WHERE identity = 'patient'") == 1)
        #expect(try finds("_trust_key", "_trust_key: a key of the identity patient \(text)"))
        #expect(try !isOpen && store.read { try $0.identities() }.map(\.id) == ["owner", "patient"])
    }

    @Test func aDamagedKeyIsWrittenAgain() throws {
        #expect(try run("UPDATE _trust_key SET jwk = NULL, begins = NULL") == 2)
        #expect(try !isOpen && !store.check().isEmpty)
        try add(owner, .everything)
        try add(patient, .compartment("Patient/1"))
        #expect(try !isOpen && store.check().isEmpty)
        try revoke("no", by: patient)
        #expect(try isOpen)
    }
}

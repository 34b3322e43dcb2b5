import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

@Suite struct AuditTrailTests {
    @Test func everyWriteLeavesRowsAndOneHead() throws {
        let audited = try AuditedStore()
        try audited.store.write { tx in
            tx.setAuditParty(AuditParty("Practitioner/7", purpose: "TREAT"))
            try tx.upsert([auditedPatient("1", "A"), auditedPatient("2", "B")])
        }
        try audited.store.write { try $0.upsert(auditedPatient("1", "C")) }
        try audited.store.write { _ = try $0.delete(Patient.self, id: "2") }
        let entries = try audited.store.read { try $0.auditEntries() }
        #expect(
            entries.map(\.access) == [
                AuditAccess(.create, "Patient", id: "1", version: 1), AuditAccess(.create, "Patient", id: "2", version: 1),
                AuditAccess(.update, "Patient", id: "1", version: 2), AuditAccess(.delete, "Patient", id: "2", version: 1),
            ])
        #expect(entries.map(\.number) == [1, 2, 3, 4])
        #expect(
            entries.map(\.party) == Array(repeating: AuditParty("Practitioner/7", purpose: "TREAT"), count: 2)
                + Array(repeating: AuditParty("device"), count: 2))
        #expect(try audited.store.read { try $0.auditHeads() }.map(\.size) == [0, 2, 3, 4])
        #expect(try audited.store.read { try $0.auditEntries(about: "Patient", id: "1") }.map(\.number) == [1, 3])
        let result = try audited.verification(from: [audited.head()])
        #expect(result.isIntact && result.size == 4 && result.headCount == 4)
        #expect(try audited.store.check().isEmpty)
    }

    @Test func aResourceThatIsWrittenSeveralTimesInOneWriteLeavesOneRowWithItsLastValue() throws {
        let audited = try AuditedStore()
        try audited.store.write { tx in
            try tx.upsert([auditedPatient("1", "A"), auditedPatient("2", "B"), auditedPatient("1", "C")])
            let stored = try tx.resource(Patient.self, id: "2").unwrapped()
            stored.active = true
            try tx.upsert(auditedPatient("3", "D"))
            _ = try tx.delete(Patient.self, id: "3")
        }
        let entries = try audited.store.read { try $0.auditEntries() }
        #expect(entries.map(\.access.action) == [.create, .create] && Set(entries.map(\.access.id)) == ["1", "2"])
        for (id, text) in [("1", "\"C\""), ("2", "true")] {
            let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: id) }
            try proof.verify(signedBy: audited.keys)
            #expect(proof.resource?.contains(text) == true)
        }
    }

    @Test func writesWithoutChangesLeaveNothing() throws {
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        let head = try audited.head()
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        try audited.store.write { _ in }
        #expect(try audited.head() == head)
    }

    @Test func aRolledBackWriteLeavesNothing() throws {
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        let head = try audited.head()
        _ = try audited.tampering { tx in
            try tx.upsert(auditedPatient("2", "B"))
            try audited.trail.append([AuditAccess(.read, "Patient", id: "1")], in: tx)
        }
        #expect(try audited.head() == head)
        try audited.store.write { try $0.upsert(auditedPatient("3", "C")) }
        #expect(try audited.verification(from: [head]).isIntact)
    }

    @Test func aWriteThatCannotBeSignedFails() throws {
        struct Broken: IdentityKey {
            let publicKey: PublicKey
            func signature(of message: Data) throws -> Data { throw TrustError(.key, "the key is gone") }
        }
        let audited = try AuditedStore()
        try audited.store.startAudit(
            by: SigningIdentity(id: "device", key: Broken(publicKey: audited.signer.key.publicKey)))
        #expect(throws: TrustError.self) { try audited.store.write { try $0.upsert(auditedPatient("1", "A")) } }
        #expect(try audited.store.count(Patient.self) == 0)
    }

    @Test func readsAreAppendedBeforeTheirResultIsHandedOut() throws {
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert((1...40).map { auditedPatient("\($0)", "A") }) }
        let party = AuditParty("Practitioner/7", purpose: "TREAT")
        let count = try audited.trail.reading(by: party) { tx, accesses in
            let patients = try tx.resources(Patient.self, ids: (1...40).map(String.init))
            accesses = patients.map { AuditAccess(.read, "Patient", id: $0.id) }
            return patients.count
        }
        #expect(count == 40)
        let entries = try audited.store.read { try $0.auditEntries(after: 40) }
        #expect(entries.map(\.access.id) == (1...40).map(String.init) && entries.allSatisfy { $0.party == party })
        #expect(try audited.verification().isIntact)
    }

    /// The device's clock is set back between two writes, and the audit starts again in between.
    @Test func noEntryIsOlderThanTheOneBeforeIt() throws {
        let audited = try AuditedStore()
        let start = try audited.head().date
        for (turn, offset) in [60, -60, -30, 120].enumerated() {
            audited.store.stopAudit()
            let recorder = audited.store.participant(AuditRecorder.self) {
                AuditRecorder(signer: AuditSigner(audited.signer.key), party: AuditParty("device")) {
                    start.addingTimeInterval(Double(offset))
                }
            }
            let trail = AuditTrail(store: audited.store, recorder: recorder)
            try audited.store.write { try $0.upsert(auditedPatient("1", "\(turn)")) }
            try trail.seal()
        }
        let (entries, heads) = try audited.store.read { (try $0.auditEntries(), try $0.auditHeads()) }
        #expect(entries.map { $0.date.timeIntervalSince(start).rounded() } == [60, 60, 60, 120])
        #expect(heads.map { $0.date.timeIntervalSince(start).rounded() } == [0, 60, 60, 60, 60, 60, 60, 120, 120])
        #expect(try audited.verification().isIntact)
    }

    /// What is appended inside a write comes after what the write has changed so far, also in objects that were not saved yet.
    @Test func changesOfManagedObjectsAreNotedBeforeAccessesAreAppended() throws {
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert([auditedPatient("1", "A"), auditedPatient("2", "A")]) }
        try audited.store.write { tx in
            let stored = try tx.resource(Patient.self, id: "1").unwrapped()
            stored.active = true
            try audited.trail.append([AuditAccess(.read, "Patient", id: "2")], in: tx)
        }
        let entries = try audited.store.read { try $0.auditEntries(after: 2) }
        #expect(entries.map(\.access.action) == [.read, .update] && entries.map(\.access.id) == ["2", "1"])
        let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "1") }
        try proof.verify(signedBy: audited.keys)
        #expect(proof.resource?.contains("true") == true)
    }

    @Test func aHeadForAQuietPeriodFollowsTheLastOne() throws {
        let audited = try AuditedStore()
        try audited.store.write { tx in _ = try tx.upsert(auditedPatient("1", "A")) }
        let first = try audited.head()
        let second = try audited.trail.seal()
        #expect(second.number == first.number + 1 && second.size == first.size && second.root == first.root)
        let result = try audited.verification(from: [first, second])
        #expect(result.isIntact)
        // Without the head, the file is one that nobody sealed.
        let cut = try audited.tampering { tx in
            try tx.runAudit("DELETE FROM _audit_head WHERE number = ?", [.integer(second.number)])
            return try tx.verifyAudit(from: [second], signedBy: audited.keys)
        }
        #expect(cut.finding?.kind == .head && cut.finding?.row == 2)
    }

    @Test func headsAreHandedOutInQuietPeriodsToo() async throws {
        let audited = try AuditedStore()
        struct Enough: Error {}
        actor Kept {
            var heads: [AuditHead] = []
            func add(_ head: AuditHead) throws {
                heads.append(head)
                if heads.count == 3 { throw Enough() }
            }
        }
        let kept = Kept()
        await #expect(throws: Enough.self) { try await audited.trail.publishHeads(every: .milliseconds(1)) { try await kept.add($0) } }
        #expect(await kept.heads.map(\.number) == [1, 2, 3])
    }

    @Test func aFileOfHeadsShowsAnotherTrail() throws {
        let folder = try TemporaryFolder()
        let file = AuditHeadFile(URL(fileURLWithPath: folder.file("heads")))
        let audited = try AuditedStore()
        try audited.store.write { try $0.upsert(auditedPatient("1", "A")) }
        // A file without a head is none to verify from.
        #expect(throws: AuditError.self) { try file.heads() }
        #expect(try file.heads(mayBeEmpty: true).isEmpty)
        try Data().write(to: file.url)
        #expect(throws: AuditError.self) { try file.heads() }
        try audited.trail.saveHead(to: file)
        try audited.trail.saveHead(to: file)
        #expect(try file.heads().map(\.size) == [1, 1])
        #expect(try audited.verification(from: file.heads()).isIntact)
        let other = try AuditedStore()
        #expect(throws: AuditError.self) { try other.trail.saveHead(to: file) }
        let result = try other.store.read { try $0.verifyAudit(from: file.heads(), signedBy: audited.keys + other.keys) }
        #expect(result.finding?.kind == .otherTrail)
    }

    @Test func aTrailGoesOnAfterOpening() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let signer = SigningIdentity(id: "device", key: try PrivateKey())
        for number in 1...3 {
            let store = try FHIRStore(path: path, release: .r4)
            try store.startAudit(by: signer)
            try store.write { tx in try tx.upsert((1...50).map { auditedPatient("\($0)", "\(number)") }) }
            try store.close()
        }
        let store = try FHIRStore(path: path, release: .r4)
        let result = try store.verifyAudit(from: nil)
        #expect(result.isIntact && result.size == 150 && result.headCount == 4)
        #expect(try store.check().isEmpty)
    }

    @Test func prunedRowsStayProvable() throws {
        let audited = try AuditedStore()
        for number in 1...100 { try audited.store.write { try $0.upsert(auditedPatient("\(number)", "A")) } }
        let head = try audited.head()
        #expect(try audited.trail.prune(before: .distantFuture) == 100)
        #expect(try audited.trail.prune(before: .distantFuture) == 0)
        let result = try audited.verification(from: [head])
        #expect(result.isIntact && result.prunedCount == 100 && result.size == 101)
        let left = try audited.store.read { try $0.auditEntries() }
        #expect(left.map(\.access) == [AuditAccess(.prune, id: "1-100")])
        try audited.store.write { try $0.upsert(auditedPatient("1", "B")) }
        let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "1") }
        try proof.verify(signedBy: audited.keys)
        #expect(throws: AuditError.self) { try audited.store.read { try $0.auditProof(of: "Patient", id: "2") } }
        // A row that is emptied without an entry is found.
        let emptied = try audited.tampering { tx in
            try tx.runAudit(
                "UPDATE _audit SET at = NULL, actor = NULL, action = NULL, type = NULL, id = NULL, version = NULL, outcome = NULL, "
                    + "purpose = NULL, value = NULL, salt = NULL WHERE seq = 102")
            return try tx.verifyAudit(from: [head], signedBy: audited.keys)
        }
        #expect(emptied.finding?.kind == .emptied && emptied.finding?.row == 102)
    }

    @Test func otherReleasesAreAuditedToo() throws {
        for release in BundledRelease.all.map(\.release) {
            let audited = try AuditedStore(release: release)
            let patient = try FHIRJSON.resource(from: Data(#"{"resourceType":"Patient","id":"1"}"#.utf8), release: release)
            try audited.store.write { _ = try $0.upsert(patient) }
            let proof = try audited.store.read { try $0.auditProof(of: "Patient", id: "1") }
            try proof.verify(signedBy: audited.keys)
        }
    }
}

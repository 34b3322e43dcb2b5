import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// The examples of the page on the audit trail.
@Suite struct AuditTrailExamples {
    @Test func theAuditTrail() throws {
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(folder: URL(fileURLWithPath: folder.file("keys")))
        let path = folder.file("heads.txt")
        let store = try FHIRStore.inMemory(release: .r4)
        let patient = auditedPatient("1", "Miller")
        let observations = [Observation { $0.id = "2" }]
        // example AuditingAccess.md
        let key = try keys.key(named: "device") ?? keys.makeKey(named: "device")
        let device = SigningIdentity(id: "Device/7", key: key)
        let trail = try store.startAudit(by: device)
        // end
        // example AuditingAccess.md
        try store.write { tx in
            tx.setAuditParty(AuditParty("Practitioner/7", purpose: "TREAT"))
            try tx.upsert(patient)
        }
        // end
        // example AuditingAccess.md
        try trail.append(
            observations.map { AuditAccess(.read, "Observation", id: $0.id) }, by: AuditParty("Practitioner/7", purpose: "TREAT"))
        for entry in try store.read({ try $0.auditEntries(about: "Patient", id: "1") }) {
            print(entry.date, entry.party.actor, entry.access.action)
        }
        // end
        // example AuditingAccess.md
        try store.startAudit(by: device, includesReads: true)
        let patients = try store.read { tx in
            tx.setAuditParty(AuditParty("Practitioner/7", purpose: "TREAT"))
            return try tx.query(Patient.self).all()
        }
        // end
        let read = try store.read { try $0.auditEntries(after: 2) }
        #expect(patients.count == 1 && read.map(\.access) == [AuditAccess(.read, "Patient", id: "1", version: 1)])
        #expect(read.map(\.party.actor) == ["Practitioner/7"])
        try store.startAudit(by: device)
        // example AuditingAccess.md
        let file = AuditHeadFile(URL(fileURLWithPath: path))
        try trail.saveHead(to: file)
        // end
        // example AuditingAccess.md
        let result = try store.verifyAudit(from: file.heads().last, signedBy: [device.key.publicKey])
        if let finding = result.finding { print("row \(finding.row): \(finding)") }
        // end
        #expect(result.isIntact && result.size == 3)
        // example AuditingAccess.md
        let proof = try store.read { try $0.auditProof(of: "Patient", id: "1") }
        let json = try proof.json
        // end
        // example AuditingAccess.md
        let received = try AuditProof(json: json)
        try received.verify(signedBy: [device.key.publicKey])
        print(received.entry.date, received.resource ?? "")
        // end
        #expect(received.resource?.contains("Miller") == true)
        // example AuditingAccess.md
        try trail.prune(before: Date(timeIntervalSinceNow: -365 * 86_400))
        // end
        // example AuditingAccess.md
        for entry in try store.read({ try $0.auditEntries() }) {
            let event = try entry.auditEvent(release: .r4, source: "Device/7")
            print(FHIRJSON.string(event))
        }
        // end
    }
}

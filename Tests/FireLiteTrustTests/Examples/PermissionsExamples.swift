import FireLiteR4
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// The examples of the page on permissions.
@Suite struct PermissionsExamples {
    @Test func permissions() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let owner = SigningIdentity(id: "owner", key: try PrivateKey())
        let practice = "practice"
        let json = #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"}}"#
        let observation = try FHIRJSON.decode(Observation.self, from: Data(json.utf8))
        let identity = Identity(id: owner.id, authority: .everything, keys: [.init(owner.key.publicKey, from: .distantPast)])
        try store.write { tx in
            try tx.setIdentity(identity)
            try tx.upsert(observation)
            try tx.upsert(Patient { $0.id = "1" })
        }
        // example Permissions.md
        let rule = AccessRule(
            .permit, to: [practice], until: Date().addingTimeInterval(86_400), types: ["Observation"], compartments: ["Patient/1"],
            confidentiality: .normal, purposes: ["TREAT"])
        let permission = AccessPermission(grantor: owner.id, patient: "Patient/1", rule: rule)
        try store.write { tx in try tx.grant(permission, signedBy: owner) }
        // end
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: try folder.write("in.ndjson", "{\"resourceType\":\"Patient\",\"id\":\"2\"}\n"))
        // example Permissions.md
        store.keepPermissions()
        try store.importResources(from: file)
        // end
        // example Permissions.md
        let request = PermissionRequest(actor: practice, purpose: "TREAT")
        let decision = try store.read { tx in try tx.decision(on: request, typeName: "Observation", id: "1") }
        // end
        #expect(decision.isPermitted && decision.consentID == permission.id)
        // example Permissions.md
        let view = store.restricted(to: practice, purpose: "TREAT")
        let count = try view.query(Observation.self).count()
        let result = try view.search("Observation?_include=Observation:subject")
        // end
        #expect(count == 1 && result.matches.count == 1 && result.included.isEmpty)
    }
}

import FireLiteR4
import FireLiteTrust
import Foundation
import Testing

@Suite struct PermissionTests {
    private let now = Date(timeIntervalSince1970: 1_750_000_000)

    /// A store with an owner, two patients and their observations.
    private struct Practice {
        let store: FHIRStore
        let owner: SigningIdentity

        init(_ now: Date, authority: Identity.Authority = .everything) throws {
            store = try FHIRStore.inMemory(release: .r4)
            owner = SigningIdentity(id: "owner", key: try PrivateKey())
            let identity = Identity(id: owner.id, authority: authority, keys: [.init(owner.key.publicKey, from: .distantPast)])
            try store.write { tx in
                try tx.setIdentity(identity)
                for number in 1...2 {
                    try tx.upsert(Self.patient("\(number)"))
                    try tx.upsert(Self.observation("o\(number)", of: "\(number)"))
                }
                try tx.upsert(Self.observation("r1", of: "1", labels: [("v3-Confidentiality", "R")]))
                try tx.upsert(Self.observation("h1", of: "1", labels: [("v3-ActCode", "HIV")]))
            }
        }

        static func patient(_ id: String) -> Patient { Patient { $0.id = id } }

        static func observation(_ id: String, of patient: String, labels: [(String, String)] = []) throws -> Observation {
            let security = labels.map { #"{"system":"http://terminology.hl7.org/CodeSystem/\#($0.0)","code":"\#($0.1)"}"# }
            let meta = labels.isEmpty ? "" : #""meta":{"security":[\#(security.joined(separator: ","))]},"#
            let json =
                #"{"resourceType":"Observation","id":"\#(id)",\#(meta)"status":"final","code":{"text":"x"},"subject":{"reference":"Patient/\#(patient)"}}"#
            return try FHIRJSON.decode(Observation.self, from: Data(json.utf8))
        }

        func grant(_ rule: AccessRule, at moment: Date) throws -> String {
            let permission = AccessPermission(grantor: owner.id, rule: rule)
            try store.write { _ = try $0.grant(permission, signedBy: owner, at: moment) }
            return permission.id
        }

        func seen(_ moment: Date, by actor: String = "dr", purpose: String? = nil) throws -> [String] {
            try store.restricted(to: actor, purpose: purpose) { moment }.query(Observation.self).ids()
        }
    }

    @Test func nothingIsSeenWithoutPermission() throws {
        let practice = try Practice(now)
        let moment = now
        let view = practice.store.restricted(to: "dr") { moment }
        #expect(try view.query(Observation.self).count() == 0)
        #expect(try view.counts().isEmpty)
        #expect(try view.resource(Patient.self, id: "1") == nil)
        #expect(try view.resources(Patient.self, ids: ["1", "2"]).isEmpty)
        #expect(try view.search("Observation?_include=Observation:subject").matches.isEmpty)
    }

    @Test func rulesLimitWhatIsSeen() throws {
        let practice = try Practice(now)
        _ = try practice.grant(AccessRule(.permit, to: ["dr"], types: ["Observation"], compartments: ["Patient/1"]), at: now)
        #expect(try practice.seen(now) == ["o1", "r1", "h1"])
        #expect(try practice.seen(now, by: "other").isEmpty)
        let moment = now
        let view = practice.store.restricted(to: "dr") { moment }
        #expect(try view.count(Observation.self) == 3 && view.count(Patient.self) == 0)
        #expect(try view.counts().map(\.typeName) == ["Observation"])
        #expect(try view.resource(Observation.self, id: "o1")?.id == "o1")
        #expect(try view.resource(Observation.self, id: "o2") == nil)
        #expect(try view.resources(Observation.self, ids: ["o2", "h1", "nothing", "o1"]).map(\.id) == ["h1", "o1"])
        // The patient is not permitted, neither by an include nor as a condition.
        let result = try view.search("Observation?_include=Observation:subject")
        #expect(result.matches.count == 3 && result.included.isEmpty)
        #expect(try view.search("Observation?subject:Patient._id=1").matches.isEmpty)
        #expect(try view.query(Observation.self).distinct { $0.subject.reference } == ["Patient/1"])
        try view.read { tx in
            let reference = try tx.resource(Observation.self, id: "o1")?.subject
            let target = try reference.map { try tx.resolve($0) }
            #expect(target.flatMap { $0 } == nil && reference != nil)
            #expect(try tx.search("Patient").matches.isEmpty)
        }
    }

    @Test func labelsLimitWhatIsSeen() throws {
        let practice = try Practice(now)
        _ = try practice.grant(AccessRule(.permit, to: ["dr"], types: ["Observation"], confidentiality: .normal), at: now)
        #expect(try practice.seen(now) == ["o1", "o2"])
        _ = try practice.grant(
            AccessRule(.permit, to: ["dr"], types: ["Observation"], confidentiality: .veryRestricted, sensitivities: ["HIV"]), at: now)
        #expect(try practice.seen(now) == ["o1", "o2", "r1", "h1"])
        _ = try practice.grant(AccessRule(.deny, to: [], sensitivities: ["HIV"]), at: now)
        #expect(try practice.seen(now) == ["o1", "o2", "r1"])
        _ = try practice.grant(AccessRule(.deny, to: ["dr"], confidentiality: .restricted), at: now)
        #expect(try practice.seen(now) == ["o1", "o2"])
    }

    @Test func periodsPurposesAndRevocationsCount() throws {
        let practice = try Practice(now)
        let id = try practice.grant(
            AccessRule(.permit, to: ["dr"], from: now, until: now.addingTimeInterval(60), purposes: ["TREAT"]), at: now)
        #expect(try practice.seen(now, purpose: "TREAT").count == 4)
        #expect(try practice.seen(now).isEmpty && practice.seen(now, purpose: "HRESCH").isEmpty)
        #expect(try practice.seen(now.addingTimeInterval(-1), purpose: "TREAT").isEmpty)
        #expect(try practice.seen(now.addingTimeInterval(60), purpose: "TREAT").isEmpty)
        let given = try practice.store.read { try $0.permissions(givenBy: "owner", at: now) }
        #expect(given.map(\.permission.id) == [id] && given[0].standing == .valid)
        try practice.store.write { try $0.revokePermission(id, signedBy: practice.owner, at: now) }
        #expect(try practice.seen(now, purpose: "TREAT").isEmpty)
        let all = try practice.store.read { try $0.permissions(givenTo: "dr") }
        #expect(all.map(\.standing) == [.inactive])
    }

    /// A request that does not say its purpose may have the one that a denial is for.
    @Test func whoLeavesThePurposeOutEscapesNoDenial() throws {
        let practice = try Practice(now)
        _ = try practice.grant(AccessRule(.permit, to: ["dr"], types: ["Observation"]), at: now)
        _ = try practice.grant(AccessRule(.deny, to: ["dr"], compartments: ["Patient/1"], purposes: ["HRESCH"]), at: now)
        #expect(try practice.seen(now) == ["o2"] && practice.seen(now, purpose: "HRESCH") == ["o2"])
        #expect(try practice.seen(now, purpose: "TREAT") == ["o1", "o2", "r1", "h1"])
        for (purpose, isPermitted) in [(nil, false), ("HRESCH", false), ("TREAT", true)] as [(String?, Bool)] {
            let request = PermissionRequest(actor: "dr", purpose: purpose, at: now)
            let decision = try practice.store.read { try $0.decision(on: request, typeName: "Observation", id: "o1") }
            #expect(decision.isPermitted == isPermitted)
        }
        // Nor one within a permit for a purpose, whose own exceptions for a purpose do not count without it.
        let inner = AccessRule(.permit, to: [], purposes: ["TREAT"])
        let exception = AccessRule(.deny, to: [], compartments: ["Patient/2"], exceptions: [inner])
        _ = try practice.grant(AccessRule(.permit, to: ["dr"], purposes: ["TREAT"], exceptions: [exception]), at: now)
        #expect(try practice.seen(now).isEmpty && practice.seen(now, purpose: "HRESCH") == ["o2"])
        #expect(try practice.seen(now, purpose: "TREAT") == ["o1", "o2", "r1", "h1"])
    }

    @Test func changedConsentsDoNotCount() throws {
        let practice = try Practice(now)
        let id = try practice.grant(AccessRule(.permit, to: ["dr"], compartments: ["Patient/1"]), at: now)
        try practice.store.write { tx in
            try tx.resource(Consent.self, id: id)?.provision?.data = []
        }
        #expect(try practice.seen(now).isEmpty)
        let standings = try practice.store.read { try $0.permissions().map(\.standing) }
        #expect(standings == [.unsigned])
        // Whoever has no authority permits nothing, and what the grantor has is the limit.
        let stranger = try Practice(now, authority: .none)
        _ = try stranger.grant(AccessRule(.permit, to: ["dr"]), at: now)
        #expect(try stranger.seen(now).isEmpty)
        let patient = try Practice(now, authority: .compartment("Patient/2"))
        _ = try patient.grant(AccessRule(.permit, to: ["dr"]), at: now)
        #expect(try patient.seen(now) == ["o2"])
    }

    @Test func containedResourcesAreNoWayAround() throws {
        let practice = try Practice(now)
        let json = """
            {"resourceType":"Observation","id":"c1","contained":[{"resourceType":"Patient","id":"p","active":true}],"status":"final",
             "code":{"text":"x"},"subject":{"reference":"#p"}}
            """
        let observation = try FHIRJSON.decode(Observation.self, from: Data(json.utf8))
        try practice.store.write { _ = try $0.upsert(observation) }
        _ = try practice.grant(AccessRule(.permit, to: ["dr"], types: ["Observation"]), at: now)
        #expect(try practice.seen(now) == ["o1", "o2", "r1", "h1"])
        _ = try practice.grant(AccessRule(.permit, to: ["dr"], types: ["Patient"]), at: now)
        #expect(try practice.seen(now) == ["o1", "o2", "r1", "h1", "c1"])
        _ = try practice.grant(AccessRule(.deny, to: ["dr"], types: ["Patient"]), at: now)
        #expect(try practice.seen(now) == ["o1", "o2", "r1", "h1"])
    }

    @Test func decisionsNameTheirConsent() throws {
        let practice = try Practice(now)
        let broad = try practice.grant(AccessRule(.permit, to: []), at: now)
        let exact = try practice.grant(AccessRule(.permit, to: ["dr"], types: ["Observation"]), at: now)
        let exception = try practice.grant(
            AccessRule(.permit, to: ["dr"], exceptions: [AccessRule(.deny, to: [], sensitivities: ["HIV"])]), at: now)
        try practice.store.read { tx in
            func decision(_ type: String, _ id: String, by actor: String = "dr") throws -> [String] {
                let request = PermissionRequest(actor: actor, at: now)
                let decision = try tx.decision(on: request, typeName: type, id: id)
                return ["\(decision.isPermitted)", decision.consentID ?? "none", "\(decision.provision)"]
            }
            let found = [
                try decision("Observation", "o1"), try decision("Observation", "h1"), try decision("Patient", "1"),
                try decision("Patient", "9"), try decision("Patient", "1", by: "x"),
            ]
            let expected = [
                ["true", exact, "[0]"], ["false", exception, "[0, 0]"], ["true", exception, "[0]"], ["false", "none", "[]"],
                ["true", broad, "[0]"],
            ]
            #expect(found == expected)
        }
    }

    @Test func viewsOnlyRead() throws {
        let practice = try Practice(now)
        _ = try practice.grant(AccessRule(.permit, to: ["dr"]), at: now)
        let query = practice.store.restricted(to: "dr").query(Observation.self)
        #expect(throws: FHIRStoreError.self) { try query.delete() }
        #expect(throws: FHIRStoreError.self) { try query.update { $0.status = nil } }
        #expect(throws: FHIRStoreError.self) { _ = try query.sql }
        #expect(throws: FHIRStoreError.self) { _ = try query.explain() }
        #expect(try practice.store.query(Observation.self).count() == 4)
    }

    @Test func resourcesAreSignedAsTheyAre() throws {
        let practice = try Practice(now)
        try practice.store.write { tx in
            if let observation = try tx.resource(Observation.self, id: "o1") { try tx.sign(observation, by: practice.owner, at: now) }
        }
        func signers() throws -> [String] {
            try practice.store.read { tx in
                guard let observation = try tx.resource(Observation.self, id: "o1") else { return [] }
                return try tx.validSignatures(of: observation).map(\.signer)
            }
        }
        #expect(try signers() == ["owner"])
        // A signature of another type's resource with the same id takes nothing from the first.
        try practice.store.write { tx in
            let namesake = try tx.upsert(Patient { $0.id = "o1" })
            try tx.sign(namesake, by: practice.owner, at: now)
        }
        #expect(try signers() == ["owner"])
        try practice.store.write { tx in try tx.resource(Observation.self, id: "o1")?.valueString = "changed" }
        #expect(try signers().isEmpty)
    }
}

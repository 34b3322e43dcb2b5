import FireLiteR4
import FireLiteReleases
import Foundation
import Testing

@testable import FireLiteTrust

@Suite struct AuditEventTests {
    private static func entry(_ access: AuditAccess, _ actor: String = "Practitioner/7", purpose: String? = "TREAT") -> AuditEntry {
        AuditEntry(
            number: 12, milliseconds: 1_784_116_805_123, party: AuditParty(actor, purpose: purpose), access: access, value: nil)
    }

    private static let accesses: [AuditAccess] = [
        AuditAccess(.create, "Patient", id: "1", version: 1), AuditAccess(.read, "Patient", id: "1"), AuditAccess(.read, "Patient"),
        AuditAccess(.update, "Patient", id: "1", version: 2), AuditAccess(.delete, "Patient", id: "1", version: 2),
        AuditAccess(.execute, id: "export"), AuditAccess(.read, "Patient", id: "1", outcome: .minorFailure),
        AuditAccess(.prune, id: "1-11"),
    ]

    @Test(arguments: BundledRelease.all.map(\.release))
    func eventsAreValidInEachReleaseFromR4On(_ release: FHIRRelease) throws {
        for access in Self.accesses {
            if ["DSTU2", "STU3"].contains(release.name) {
                let error = #expect(throws: AuditError.self) {
                    try Self.entry(access).auditEvent(release: release, source: "Device/1")
                }
                #expect(error?.code == .unsupportedRelease)
            } else {
                let event = try Self.entry(access).auditEvent(release: release, source: "Device/1")
                #expect(event.validate().isEmpty, "\(access): \(event.validate())")
            }
        }
    }

    @Test func aReadIsABasicAuditRead() throws {
        let event = try #require(
            Self.entry(Self.accesses[1]).auditEvent(release: .r4, source: "Device/1") as? AuditEvent)
        #expect(event.id == "audit-12")
        #expect(event.meta?.profile == ["https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.Read"])
        #expect(event.type?.code == "rest" && event.subtype.map(\.code) == ["read"])
        #expect(FHIRJSON.string(event).contains(#""recorded":"2026-07-15T12:00:05.123Z""#))
        // The user, the client that receives, the server that sends.
        #expect(event.agent.map { $0.type?.coding[0].code } == ["IRCP", "110152", "110153"])
        #expect(event.agent.map { $0.requestor } == [true, false, false])
        #expect(event.agent[0].who?.reference == "Practitioner/7")
        #expect(event.agent[0].purposeOfUse[0].coding[0].code == "TREAT")
        #expect(event.entity[0].what?.reference == "Patient/1" && event.entity[0].type?.code == "2" && event.entity[0].role?.code == "4")
    }

    @Test func failuresAndOtherActionsClaimNoProfile() throws {
        for access in Self.accesses where access.outcome != .success || access.id == nil || [.execute, .prune].contains(access.action) {
            let event = try Self.entry(access).auditEvent(release: .r4, source: "app")
            #expect(!FHIRJSON.string(event).contains("profiles.ihe.net"))
        }
    }

    @Test func actorsThatAreNoReferencesAreIdentifiers() throws {
        for actor in ["device", "a/b", "Practitioner/7/8", "https://example.org/x", "Patient/", "a \"quoted\" name"] {
            let event = try #require(
                Self.entry(Self.accesses[1], actor, purpose: nil).auditEvent(release: .r4, source: "app") as? AuditEvent)
            #expect(event.agent[0].who?.reference == nil && event.agent[0].who?.identifier?.value == actor)
            #expect(event.validate().isEmpty)
        }
    }
}

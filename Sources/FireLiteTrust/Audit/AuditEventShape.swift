import FireLite
import FireLiteCore

/// The form of an AuditEvent in a release: R4 and R4B share one, R5 has another.
enum AuditEventShape {
    case r4, r5

    /// The shape of a release, by the elements that its AuditEvent has.
    ///
    /// - Throws: `AuditError.unsupportedRelease` for DSTU2 and STU3.
    init(_ release: FHIRRelease) throws {
        let event = release.resourceLayout(named: "AuditEvent")
        if event?.element(named: "category") != nil {
            self = .r5
        } else if event?.element(named: "subtype") != nil, event?.element(named: "agent")?.layout?.element(named: "who") != nil {
            self = .r4
        } else {
            throw AuditError(.unsupportedRelease, "AuditEvents are made for R4 and later, not for FHIR \(release.name)")
        }
    }

    /// The members that differ: what happened, and how it ended.
    func members(_ type: String, _ interaction: String?, _ outcome: AuditOutcome) -> [(name: String, json: String)] {
        switch self {
        case .r4:
            [("type", type), ("subtype", interaction.map { JSONText.array([$0]) })].compactMap { name, json in json.map { (name, $0) } }
                + [("outcome", JSONText.string(outcome.rawValue))]
        case .r5:
            [
                ("category", JSONText.array([AuditCode.concept(type)])), ("code", AuditCode.concept(interaction ?? type)),
                (
                    "outcome",
                    JSONText.object([
                        ("code", AuditCode.coding("http://terminology.hl7.org/CodeSystem/audit-event-outcome", outcome.rawValue))
                    ])
                ),
            ]
        }
    }

    /// A concept, which R4 has as a coding in an entity's type and role.
    func entityCode(_ coding: String) -> String { self == .r4 ? coding : AuditCode.concept(coding) }

    /// The network of an agent: this machine.
    var network: (name: String, json: String) {
        switch self {
        case .r4: ("network", JSONText.object([("address", JSONText.string("localhost")), ("type", JSONText.string("1"))]))
        case .r5: ("networkString", JSONText.string("localhost"))
        }
    }

    /// The name of the element with the purpose of an agent.
    var purpose: String { self == .r4 ? "purposeOfUse" : "authorization" }
}

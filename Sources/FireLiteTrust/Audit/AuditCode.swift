import FireLiteCore

/// The codes of AuditEvents, as JSON.
enum AuditCode {
    private static let terminology = "http://terminology.hl7.org/CodeSystem/"
    private static let dicom = "http://dicom.nema.org/resources/ontology/DCM"

    static let rest = coding(terminology + "audit-event-type", "rest", "Restful Operation")
    static let systemObject = coding(terminology + "audit-entity-type", "2", "System Object")
    static let domainResource = coding(terminology + "object-role", "4", "Domain Resource")
    static let custodian = coding(terminology + "provenance-participant-type", "custodian", "Custodian")
    static let application = coding(dicom, "110150", "Application")
    static let source = coding(dicom, "110153", "Source Role ID")
    static let destination = coding(dicom, "110152", "Destination Role ID")
    static let recipient = coding(terminology + "v3-ParticipationType", "IRCP", "information recipient")
    static let author = coding(terminology + "v3-ParticipationType", "AUT", "author (originator)")

    /// A FHIR interaction.
    static func interaction(_ code: String) -> String { coding("http://hl7.org/fhir/restful-interaction", code, code) }

    /// A purpose of use.
    static func purpose(_ code: String) -> String { concept(coding(terminology + "v3-ActReason", code)) }

    static func coding(_ system: String, _ code: String, _ display: String? = nil) -> String {
        var members = [(name: "system", json: JSONText.string(system)), (name: "code", json: JSONText.string(code))]
        if let display { members.append(("display", JSONText.string(display))) }
        return JSONText.object(members)
    }

    static func concept(_ coding: String) -> String { JSONText.object([("coding", JSONText.array([coding]))]) }
}

import FireLite
import FireLiteCore
import Foundation

/// Permissions as FHIR's Consent, in the shape of each release.
struct ConsentCoding {
    /// Whether the release has R5's shape: a grantor, and a decision that provisions are exceptions to.
    let isR5: Bool

    /// - Throws: ``TrustError/Code/release`` for releases before R4.
    init(_ release: FHIRRelease) throws {
        guard let layout = release.resourceLayout(named: "Consent"), let provision = layout.element(named: "provision")?.layout,
            provision.element(named: "actor") != nil
        else { throw TrustError(.release, "FHIR \(release.name) has no Consent for permissions: R4 and later have") }
        isR5 = layout.element(named: "decision") != nil
    }

    private static let confidentiality = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality"
    private static let sensitivity = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
    private static let purpose = "http://terminology.hl7.org/CodeSystem/v3-ActReason"
    private static let action = "http://terminology.hl7.org/CodeSystem/consentaction"
    private static let types = "http://hl7.org/fhir/resource-types"
    private static let uris = "urn:ietf:rfc:3986"
    static let labelSystems = (confidentiality: confidentiality, sensitivity: sensitivity)

    private var typesElement: String { isR5 ? "resourceType" : "class" }

    // MARK: - Writing

    /// The JSON of a Consent.
    func json(_ permission: AccessPermission, status: String, at moment: Date) -> JSONItem {
        let scope = concept("http://terminology.hl7.org/CodeSystem/consentscope", "patient-privacy")
        let category = JSONItem.array([concept("http://loinc.org", "59284-0")])
        let patient = permission.patient.map { JSONItem.object(["reference": .string($0)]) }
        let date = TrustTime.text(moment)
        if isR5 {
            let isBare = isBare(permission.rule)
            return .object([
                "resourceType": .string("Consent"), "id": .string(permission.id), "status": .string(status), "category": category,
                "subject": patient, "date": .string(String(date.prefix(10))), "grantor": .array([party(permission.grantor)]),
                // A denial of everything is the decision itself.
                "decision": .string(permission.rule.kind == .permit || isBare ? "deny" : "permit"),
                "provision": isBare ? nil : .array([provision(permission.rule)]),
            ])
        }
        return .object([
            "resourceType": .string("Consent"), "id": .string(permission.id), "status": .string(status), "scope": scope,
            "category": category, "patient": patient, "dateTime": .string(date), "performer": .array([party(permission.grantor)]),
            "policyRule": concept("http://terminology.hl7.org/CodeSystem/v3-ActCode", "OPTIN"), "provision": provision(permission.rule),
        ])
    }

    private func coding(_ system: String, _ code: String) -> JSONItem { .object(["system": .string(system), "code": .string(code)]) }

    private func concept(_ system: String, _ code: String) -> JSONItem { .object(["coding": .array([coding(system, code)])]) }

    private func list<Value>(_ values: [Value], _ item: (Value) -> JSONItem) -> JSONItem? {
        values.isEmpty ? nil : .array(values.map(item))
    }

    private func party(_ id: String) -> JSONItem { Self.party(id) }

    /// A Reference to an identity, by its identifier.
    static func party(_ id: String) -> JSONItem {
        let identifier: JSONItem =
            UUID(uuidString: id) == nil
            ? .object(["value": .string(id)]) : .object(["system": .string(uris), "value": .string("urn:uuid:" + id)])
        return .object(["identifier": identifier])
    }

    /// Whether a rule has no condition, so that a provision for it would be empty in R5, where provisions have no type.
    func isBare(_ rule: AccessRule) -> Bool { isR5 && provision(rule).members.isEmpty }

    private func provision(_ rule: AccessRule) -> JSONItem {
        let period: JSONItem? =
            rule.from == nil && rule.until == nil
            ? nil
            : .object([
                "start": rule.from.map { .string(TrustTime.text($0)) }, "end": rule.until.map { .string(TrustTime.text($0)) },
            ])
        let labels =
            [rule.confidentiality.map { coding(Self.confidentiality, $0.rawValue) }].compactMap { $0 }
            + rule.sensitivities.map { coding(Self.sensitivity, $0) }
        let role = concept("http://terminology.hl7.org/CodeSystem/v3-ParticipationType", "IRCP")
        return .object([
            "type": isR5 ? nil : .string(rule.kind.rawValue), "period": period,
            "actor": list(rule.grantees) { .object(["role": role, "reference": party($0)]) },
            "action": list(rule.actions) { concept(Self.action, $0.rawValue) }, "securityLabel": labels.isEmpty ? nil : .array(labels),
            "purpose": list(rule.purposes) { coding(Self.purpose, $0) },
            typesElement: list(rule.types) { coding(Self.types, $0) },
            "data": list(rule.compartments) {
                .object(["meaning": .string("dependents"), "reference": .object(["reference": .string($0)])])
            }, "provision": list(rule.exceptions) { provision($0) },
        ])
    }

    // MARK: - Reading

    /// The content of a Consent.
    struct Content {
        let id: String
        /// The grantors, without those that cannot be read.
        let grantors: [String]
        /// Whether all grantors can be read, and there is one.
        let hasAllGrantors: Bool
        let patient: String?
        let rule: AccessRule

        /// A denial of everything, by whoever has signed it: what a Consent may have said whose content is lost.
        static func denial(_ id: String) -> Content {
            Content(id: id, grantors: [], hasAllGrantors: false, patient: nil, rule: ConsentCoding.denial)
        }
    }

    /// The content of a Consent; nil if it neither permits nor denies anything.
    ///
    /// An unreadable part must not extend permits, so it removes permits and keeps denials.
    ///
    /// - Parameter party: returns the identity for a reference such as `Practitioner/7`.
    func content(_ item: JSONItem, party: (String) -> String?) -> Content? {
        guard let id = item["id"]?.text, var rule = isR5 ? exceptions(item) : outermost(item) else { return nil }
        let parties = item[isR5 ? "grantor" : "performer"]?.items ?? []
        let grantors = parties.compactMap { partyID($0) ?? $0["reference"]?.text.flatMap(party) }
        var patient: String?
        if let subject = item[isR5 ? "subject" : "patient"] {
            patient = subject["reference"]?.text
            if patient.flatMap(Compartment.init)?.type != "Patient" { (patient, rule.isPartlyUnderstood) = (nil, true) }
        }
        if item.members.contains(where: { Self.unknowns.contains($0.name) }) { rule.isPartlyUnderstood = true }
        return Content(
            id: id, grantors: grantors, hasAllGrantors: !grantors.isEmpty && grantors.count == parties.count, patient: patient, rule: rule)
    }

    /// Members of a Consent that change what its provisions mean.
    private static let unknowns: Set<String> = ["modifierExtension", "implicitRules", "grantee", "_decision", "_status"]

    /// A denial of everything.
    fileprivate static let denial = AccessRule(.deny, to: [])

    /// The rule of a Consent in R4. An outermost provision without a type is an exception to the policy.
    private func outermost(_ item: JSONItem) -> AccessRule? {
        let codes = (item["policyRule"]?["coding"]?.items ?? []).compactMap { $0["code"]?.text }
        let isClosed = codes.contains { $0.hasPrefix("OPTOUT") }
        guard let provision = item["provision"] else { return isClosed ? Self.denial : nil }
        let kind = provision["type"]?.text
        var rule = self.rule(provision, kind.flatMap(AccessPermission.Kind.init) ?? (kind == nil && isClosed ? .permit : .deny))
        if kind != nil, kind != rule.kind.rawValue { rule.isPartlyUnderstood = true }
        return rule
    }

    /// The rule of a Consent in R5, whose provisions are exceptions to its decision. Several provisions do not limit each other.
    private func exceptions(_ item: JSONItem) -> AccessRule? {
        let decision = item["decision"]?.text
        let base = decision.flatMap(AccessPermission.Kind.init)
        let provisions = item["provision"]?.items ?? []
        if provisions.isEmpty { return base == .permit || decision == nil ? nil : Self.denial }
        var rules = provisions.map { rule($0, base == .deny ? .permit : .deny) }
        // Without a decision, the meaning of the provisions is unknown.
        if base == nil { for index in rules.indices { rules[index].isPartlyUnderstood = true } }
        guard rules.count > 1 || item["period"] != nil else { return rules[0] }
        var frame = AccessRule(rules[0].kind, to: [], exceptions: rules)
        frame.isContainer = true
        if let period = item["period"], !readPeriod(period, into: &frame) { frame.isPartlyUnderstood = true }
        return frame
    }

    /// Whether a period can be read.
    private func readPeriod(_ period: JSONItem, into rule: inout AccessRule) -> Bool {
        rule.from = period["start"]?.text.flatMap { TrustTime.bounds($0)?.lower }
        rule.until = period["end"]?.text.flatMap { TrustTime.bounds($0)?.upper }
        return (rule.from == nil) == (period["start"] == nil) && (rule.until == nil) == (period["end"] == nil)
    }

    /// The identity that a Reference names by its identifier.
    private func partyID(_ reference: JSONItem) -> String? {
        guard let value = reference["identifier"]?["value"]?.text else { return nil }
        guard reference["identifier"]?["system"]?.text == Self.uris else { return reference["identifier"]?["system"] == nil ? value : nil }
        return value.hasPrefix("urn:uuid:") ? String(value.dropFirst(9)) : nil
    }

    private static let understood: Set<String> = [
        "type", "period", "actor", "action", "securityLabel", "purpose", "class", "resourceType", "data", "provision", "id",
    ]

    private func rule(_ item: JSONItem, _ kind: AccessPermission.Kind) -> AccessRule {
        var rule = AccessRule(kind, to: [])
        var isUnderstood = item.members.allSatisfy { Self.understood.contains($0.name) }
        /// The values of a list, each of which must be understood.
        func values<Value>(_ name: String, _ read: (JSONItem) -> Value?) -> [Value] {
            let items = item[name]?.items ?? []
            let values = items.compactMap(read)
            guard values.count < items.count || items.contains(where: { $0["modifierExtension"] != nil }) else { return values }
            isUnderstood = false
            // Neither the denial nor the denials of the rule's exceptions may become narrower.
            return []
        }
        func code(_ system: String) -> (JSONItem) -> String? { { $0["system"]?.text == system ? $0["code"]?.text : nil } }
        if let period = item["period"], !readPeriod(period, into: &rule) { isUnderstood = false }
        rule.grantees = values("actor") { $0["reference"].flatMap(partyID) }
        rule.actions = values("action") { concept in
            let codings = concept["coding"]?.items ?? []
            return codings.count == 1 ? code(Self.action)(codings[0]).map { PermissionAction(rawValue: $0) } : nil
        }
        rule.purposes = values("purpose", code(Self.purpose))
        rule.types = values(typesElement, code(Self.types))
        rule.compartments = values("data") { data in
            guard data["meaning"]?.text == "dependents", let text = data["reference"]?["reference"]?.text, Compartment(text) != nil else {
                return nil
            }
            return text
        }
        for label in item["securityLabel"]?.items ?? [] {
            if let level = code(Self.confidentiality)(label).flatMap(Confidentiality.init), rule.confidentiality == nil {
                rule.confidentiality = level
            } else if let sensitivity = code(Self.sensitivity)(label) {
                rule.sensitivities.append(sensitivity)
            } else {
                isUnderstood = false
            }
        }
        if !isUnderstood { (rule.confidentiality, rule.sensitivities) = (nil, []) }
        rule.exceptions = (item["provision"]?.items ?? []).map { exception in
            if isR5 { return self.rule(exception, kind == .permit ? .deny : .permit) }
            if let kind = exception["type"]?.text.flatMap(AccessPermission.Kind.init) { return self.rule(exception, kind) }
            var denial = self.rule(exception, .deny)
            denial.isPartlyUnderstood = true
            return denial
        }
        rule.isPartlyUnderstood = !isUnderstood
        return rule
    }
}

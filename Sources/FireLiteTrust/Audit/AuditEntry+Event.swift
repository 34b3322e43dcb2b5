import FireLite
import FireLiteCore
import Foundation

extension AuditEntry {
    /// The entry as a FHIR AuditEvent, in the shape of IHE's Basic Audit Log Patterns: the user, the app and the store as agents, the
    /// resource as the entity. A successful create, read, update or delete of a resource names the profile.
    ///
    /// - Parameters:
    ///   - release: the release, R4 or later.
    ///   - source: the recorder of the entry, such as `Device/7` or another id.
    /// - Returns: the AuditEvent, with the id `audit-` and the number of the entry.
    /// - Throws: `AuditError`: `unsupportedRelease` for DSTU2 and STU3; `damaged` for a row with a value that FHIR does not have, such as a time
    ///   before the year 1 or after 9999.
    public func auditEvent(release: FHIRRelease, source: String) throws -> FHIRResource {
        let shape = try AuditEventShape(release)
        let json = event(shape, source)
        do { return try FHIRJSON.resource(from: Data(json.utf8), release: release) } catch let error as FHIRDecodingError {
            let place = error.path.isEmpty ? "AuditEvent" : error.path
            throw AuditError(
                .damaged,
                "row \(number) of the audit trail cannot be an AuditEvent of FHIR \(release.name), as it has no such \(place): verify the trail"
            )
        }
    }

    private func event(_ shape: AuditEventShape, _ source: String) -> String {
        var members: [(name: String, json: String)] = [
            ("resourceType", JSONText.string("AuditEvent")), ("id", JSONText.string("audit-\(number)")),
        ]
        if let profile { members.append(("meta", JSONText.object([("profile", JSONText.array([JSONText.string(profile)]))]))) }
        members += shape.members(AuditCode.rest, interaction.map { AuditCode.interaction($0) }, access.outcome)
        // To FHIR, pruning deletes.
        let action = access.action == .prune ? AuditAction.delete : access.action
        members.append(("action", JSONText.string(action.rawValue)))
        members.append(("recorded", JSONText.string(Self.instant(milliseconds))))
        members.append(("agent", JSONText.array(agents(shape, source))))
        members.append(("source", JSONText.object([("observer", Self.reference(source))])))
        members.append(("entity", JSONText.array([entity(shape)])))
        return JSONText.object(members)
    }

    private var interaction: String? {
        switch access.action {
        case .create: "create"
        case .read: access.id == nil ? "search-type" : "read"
        case .update: "update"
        case .delete: "delete"
        case .execute, .prune: nil
        }
    }

    private var profile: String? {
        guard access.outcome == .success, access.typeName != nil, access.id != nil else { return nil }
        let name: String? =
            switch access.action {
            case .create: "Create"
            case .read: "Read"
            case .update: "Update"
            case .delete: "Delete"
            case .execute, .prune: nil
            }
        return name.map { "https://profiles.ihe.net/ITI/BALP/StructureDefinition/IHE.BasicAudit.\($0)" }
    }

    // MARK: - Agents

    private func agents(_ shape: AuditEventShape, _ source: String) -> [String] {
        let reads = access.action == .read
        let (client, server) =
            switch access.action {
            case .read where access.id != nil: (AuditCode.destination, AuditCode.source)
            case .create, .update, .read: (AuditCode.source, AuditCode.destination)
            case .delete, .execute, .prune: (AuditCode.application, AuditCode.custodian)
            }
        var user: [(name: String, json: String)] = [
            ("type", AuditCode.concept(reads ? AuditCode.recipient : AuditCode.author)), ("who", Self.reference(party.actor)),
            ("requestor", "true"),
        ]
        if let purpose = party.purpose { user.append((shape.purpose, JSONText.array([AuditCode.purpose(purpose)]))) }
        let machines = [client, server].map { code in
            JSONText.object([
                ("type", AuditCode.concept(code)), ("who", Self.reference(source)), ("requestor", "false"), shape.network,
            ])
        }
        return [JSONText.object(user)] + machines
    }

    /// A reference if the text is one, and otherwise an identifier.
    private static func reference(_ text: String) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isReference =
            parts.count == 2 && parts[0].first?.isUppercase == true
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 || $0 == 45 || $0 == 46 }
            }
        if isReference { return JSONText.object([("reference", JSONText.string(text))]) }
        return JSONText.object([("identifier", JSONText.object([("value", JSONText.string(text))]))])
    }

    // MARK: - The entity

    private func entity(_ shape: AuditEventShape) -> String {
        let what: String
        if let type = access.typeName, let id = access.id {
            what = JSONText.object([
                ("reference", JSONText.string("\(type)/\(id)" + (access.version.map { "/_history/\($0)" } ?? "")))
            ])
        } else if let rows = prunedRows {
            what = JSONText.object([
                ("display", JSONText.string("the audit trail, rows \(rows.lowerBound) to \(rows.upperBound)"))
            ])
        } else {
            what = JSONText.object([("display", JSONText.string(access.typeName ?? access.id ?? "the store"))])
        }
        var members = [(name: "what", json: what)]
        // R5 has no type of an entity.
        if shape == .r4 { members.append(("type", AuditCode.systemObject)) }
        members.append(("role", shape.entityCode(AuditCode.domainResource)))
        return JSONText.object(members)
    }

    /// The time as a FHIR instant, in UTC.
    private static func instant(_ milliseconds: Int64) -> String {
        // A format with fractions would round a number that has no exact binary form.
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let seconds = Date(timeIntervalSince1970: Double(remainder < 0 ? quotient - 1 : quotient))
        let fraction = String(1_000 + (remainder < 0 ? remainder + 1_000 : remainder)).dropFirst()
        return seconds.formatted(.iso8601).dropLast() + ".\(fraction)Z"
    }
}

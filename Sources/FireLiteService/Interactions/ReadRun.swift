import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// Answers interactions that read, from one snapshot.
struct ReadRun {
    let service: FHIRService
    let call: ServiceCall
    let transaction: ReadTransaction
    /// What the answer has by now.
    let size: AnswerSize

    var store: FHIRStore { service.store }
    var release: FHIRRelease { service.release }

    /// - Parameter size: the number of bytes that the answer may have; nil for that of the configuration.
    init(_ service: FHIRService, _ call: ServiceCall, _ transaction: ReadTransaction, size: Int? = nil) {
        self.service = service
        self.call = call
        self.transaction = transaction
        self.size = AnswerSize(limit: size ?? service.configuration.limits.answerBytes)
    }

    /// Answers by the route.
    func answer() throws -> Answer {
        switch call.route {
        case .instance(let type, let id): try plainRead(type, id) ?? read(type, id)
        case .version(let type, let id, let version): try read(type, id, version: version)
        case .history(let type, let id): try history(type, id)
        case .system: try search(nil)
        case .type(let type): try search(type)
        case .search(let type): try search(type, form: true)
        case .compartment(let type, let id, let results): try search(results, in: .init(type: type, id: id))
        case .compartmentSearch(let type, let id, let results): try search(results, in: .init(type: type, id: id), form: true)
        default: throw ServiceFault(404, "not-found", "the path leads nowhere")
        }
    }

    /// Runs `body` with what the client's scopes hide.
    func seen<Value>(_ permission: SMARTScope.Permission, _ body: () throws -> Value) throws -> Value {
        guard let restriction = call.restriction(for: permission) else { return try body() }
        return try transaction.restricted(by: restriction, body)
    }

    // MARK: - Reading

    /// The stored resource that the client may see.
    ///
    /// - Throws: `ServiceFault`: 410 for one that was deleted, 404 if there is none.
    func resource(_ type: String, _ id: String, for permission: SMARTScope.Permission = .read) throws -> FHIRResource {
        try call.require(permission, type)
        if let found = try seen(permission, { try transaction.resource(typeName: type, id: id) }) { return found }
        // Whether a hidden resource was deleted is hidden too.
        guard call.access.scopes == nil, try wasDeleted(type, id) else { throw ServiceFault.notFound }
        throw ServiceFault.gone
    }

    private func wasDeleted(_ type: String, _ id: String) throws -> Bool {
        try ResourceHistory(store: store, transaction: transaction, type: type, id: id).isDeleted
    }

    /// `read` and `vread` (FHIR, RESTful API).
    func read(_ type: String, _ id: String, version: String? = nil) throws -> Answer {
        let found: (resource: FHIRResource, version: Int64?, storedAt: Date?, isCurrent: Bool)
        if let version {
            found = try self.version(version, type, id)
        } else {
            let resource = try resource(type, id)
            found = (resource, FHIRStore.revision(of: resource), nil, true)
        }
        let updated = found.resource.lastUpdated ?? found.storedAt
        var fields: HTTPFields = [:]
        fields["ETag"] = found.version.map(EntityTag.text)
        fields["Last-Modified"] = updated.map { HTTPDate.text($0) }
        if isUnchanged(found.version, updated) { return Answer(304, fields: fields) }
        if type == "Binary", let answer = try raw(found.resource, fields) { return answer }
        let stamped = try shown(found.resource, version: found.version, storedAt: found.storedAt, isCurrent: found.isCurrent)
        return Answer(200, .resource(try store.subset(of: stamped, call.query.all) ?? stamped), fields: fields)
    }

    /// A resource as the client may see it.
    func shown(_ resource: FHIRResource, version: Int64?, storedAt: Date? = nil, isCurrent: Bool = true) throws -> FHIRResource {
        let stamped = try transaction.whole(resource).stamped(version: version, storedAt: storedAt)
        return try service.shown(stamped, to: call.access, isCurrent: isCurrent, transaction)
    }

    private func version(_ text: String, _ type: String, _ id: String) throws -> (FHIRResource, Int64?, Date?, Bool) {
        try call.require(.read, type)
        let none = ServiceFault(404, "not-found", "the server has no such version of the resource")
        guard let number = Int64(text), String(number) == text else { throw none }
        let history = ResourceHistory(store: store, transaction: transaction, type: type, id: id)
        let found: (content: FHIRResource?, isCurrent: Bool, storedAt: Date?)?
        if try history.isPossible {
            found = try history.version(number).map { version in
                var isCurrent = false
                if case .stored = version.place { isCurrent = true }
                return (try store.content(at: version.place, transaction), isCurrent, version.storedAt)
            }
        } else {
            found = try transaction.history(typeName: type, id: id).first { $0.version == number }.map {
                (try transaction.resource(at: $0), $0.isCurrent, $0.storedAt)
            }
        }
        guard let found, let content = found.content else { throw none }
        guard try isVisible(type, id, content, isCurrent: found.isCurrent) else { throw ServiceFault.notFound }
        return (content, number, found.storedAt, found.isCurrent)
    }

    /// Whether the client may see a version: the current one by the store, earlier ones by their content.
    func isVisible(_ type: String, _ id: String, _ content: FHIRResource, isCurrent: Bool) throws -> Bool {
        guard let restriction = call.restriction(for: .read) else { return true }
        guard try seen(.read, { try transaction.resource(typeName: type, id: id) }) != nil else { return false }
        return try isCurrent || restriction.permits(version: content, in: transaction)
    }

    /// Whether the client has this version already (FHIR, RESTful API, Conditional Read; RFC 9110, 13.2.2).
    func isUnchanged(_ version: Int64?, _ updated: Date?) -> Bool {
        if let tags = call.request.fields["If-None-Match"] { return EntityTag.matches(tags, version) }
        guard let since = HTTPDate.date(call.request.fields["If-Modified-Since"]), let updated else { return false }
        return updated.timeIntervalSince1970.rounded(.down) <= since.timeIntervalSince1970
    }

    /// A Binary in its own form, if the client asks for that (FHIR, Binary): as a download that no browser runs.
    private func raw(_ binary: FHIRResource, _ fields: HTTPFields) throws -> Answer? {
        let accepted = HeaderElement.list(call.request.fields["Accept"]).map { $0.value.lowercased() }
        guard call.query.last("_format") == nil, !accepted.isEmpty,
            !accepted.contains(where: { $0 == "*/*" || $0 == "application/*" || ContentFormat(mediaType: $0) != nil })
        else { return nil }
        let whole = try transaction.whole(binary)
        let type = MediaType(whole.text("contentType") ?? "").name
        guard accepted.contains(type), type.utf8.allSatisfy({ 33...126 ~= $0 }) else {
            throw ServiceFault(
                406, "not-supported", "the Binary is of another type; it can be had as application/fhir+json", at: "http.Accept")
        }
        let content = (whole.text("data") ?? whole.text("content")).flatMap { Data(fhirBase64: $0) } ?? Data()
        var fields = fields
        if let context = whole.child("securityContext")?.text("reference"), context.utf8.allSatisfy({ 33...126 ~= $0 }) {
            fields[ContentReader.securityContext] = context
        }
        fields["Content-Disposition"] = "attachment"
        fields["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return Answer(200, .raw(content, type), fields: fields)
    }
}

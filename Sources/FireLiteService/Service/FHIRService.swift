import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteTrust
import Foundation

/// A FHIR server over a store, without sockets: a function from request to response.
///
/// ```swift
/// let service = try FHIRService(store: store)
/// let response = await service.respond(to: ServiceRequest(.get, "/fhir/Patient?name=peter"))
/// ```
/// It serves the release of its store (<https://hl7.org/fhir/http.html>), and its `metadata` says what it can do. Every refusal is an
/// OperationOutcome. Thread-safe; many requests can be answered at the same time.
public final class FHIRService: Sendable {
    /// The store.
    public let store: FHIRStore
    /// How the service answers.
    public let configuration: Configuration
    /// The base address without a slash at its end.
    let base: String
    let descriptions = DescriptionCache()
    let contents = ContentCache(limit: FHIRService.contentBytes)
    let jobs: ExportJobs?
    let writes = WriteGroup()
    let subscriptions = SubscriptionHub()

    /// The limit of the memory for encoded resources.
    private static let contentBytes = 24 << 20

    var release: FHIRRelease { store.release }

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - store: the store; other code may use and change it at the same time.
    ///   - configuration: how the service answers. Default: everybody may do everything.
    /// - Throws: ``ServiceError/Code/configuration`` for an invalid base address; ``ServiceError/Code/file`` if the work folder is a file.
    public init(store: FHIRStore, configuration: Configuration = Configuration()) throws {
        self.store = store
        self.configuration = configuration
        var base = configuration.base
        while base.hasSuffix("/") { base.removeLast() }
        guard let url = URL(string: base), Origin(url) != nil, url.query == nil, url.fragment == nil else {
            throw ServiceError(.configuration, "the base is not an address such as https://example.org/fhir")
        }
        self.base = base
        jobs = try configuration.workFolder.map { try ExportJobs(folder: $0, limit: configuration.limits.jobs) }
        jobs?.resume(self)
        if hasOwnSubscriptions { Task { [weak self] in if let self { await subscriptions.resume(self) } } }
    }

    /// Stops the running jobs, which the next service on the same work folder starts again, and the notifications, which the next service on the store
    /// goes on with. Later requests are still answered.
    public func stop() async {
        await subscriptions.stop(self)
        await jobs?.stop()
    }

    // MARK: - Requests

    /// Answers a request. It never throws: a failure is a status with an OperationOutcome.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        let now = configuration.clock.now()
        var request = request
        let (fields, repeated) = request.fields.joined()
        request.fields = fields
        var presentation = Presentation.plain
        var response: ServiceResponse
        var audited: (access: ServiceAccess?, route: Route)?
        let notes = store.auditTrail == nil ? nil : AuditNotes()
        do {
            if let repeated { throw ServiceFault(400, "invalid", "the request has this field more than once", at: "http.\(repeated)") }
            try checkLimits(request)
            let target = try Target(request.target, base: base)
            let route = try Route(target.segments, release)
            audited = (nil, route)
            if request.method == Self.options {
                return finished(try await optionsAnswer(at: route, to: request, query: target.query, now: now), request)
            }
            let forms = target.query.appending(try form(of: request, route))
            do { presentation = try Presentation(request, forms, release) } catch {
                // A Binary can be asked for in its own form, and rows of a view have others.
                guard route.hasOwnForms, request.method == .get || request.method == .post else { throw error }
            }
            guard route.methods.contains(request.method) else {
                let allowed = route.methods.map(\.rawValue).joined(separator: ", ")
                throw ServiceFault(405, "not-supported", "the path has only \(allowed)", fields: ["Allow": allowed])
            }
            let access = try await access(of: request, route)
            audited = (access, route)
            let call = ServiceCall(
                request: request, route: route, query: target.query, presentation: presentation, access: access, now: now, notes: notes)
            response = try await answer(call)
        } catch {
            response = refusal(ServiceFault(error), presentation)
        }
        if let audited, let notes, let failed = await audit(request, at: audited.route, audited.access, notes, status: response.status) {
            response = refusal(ServiceFault(failed), presentation)
        }
        return finished(response, request)
    }

    /// The parameters of a search by POST, some of which say how the answer looks.
    private func form(of request: ServiceRequest, _ route: Route) throws -> QueryItems {
        switch route {
        case .search, .compartmentSearch:
            guard MediaType(request.fields["Content-Type"] ?? "").name == MediaType.form else { return QueryItems() }
            return try QueryItems(String(decoding: request.body, as: UTF8.self))
        default: return QueryItems()
        }
    }

    private static let options = HTTPMethod(rawValue: "OPTIONS")

    /// What a place can do (RFC 9110, 9.3.7); at the base of DSTU2 and STU3 the description of the server (FHIR, RESTful API, capabilities).
    private func optionsAnswer(
        at route: Route, to request: ServiceRequest, query: QueryItems, now: Date
    ) async throws -> ServiceResponse {
        let allowed = (route.methods + [Self.options]).map(\.rawValue).joined(separator: ", ")
        guard route == .system, release.name == "DSTU2" || release.name == "STU3" else {
            return ServiceResponse(204, fields: ["Allow": allowed])
        }
        let call = ServiceCall(
            request: request, route: .metadata, query: query, presentation: try Presentation(request, query, release),
            access: ServiceAccess(subject: "anonymous", scopes: []), now: now)
        var response = try await answer(call)
        response.fields["Allow"] = allowed
        return response
    }

    private func refusal(_ fault: ServiceFault, _ presentation: Presentation) -> ServiceResponse {
        let answer = Answer(fault.status, .json(fault.outcomeJSON), fields: fault.fields)
        if let response = try? answer.response(presentation, release) { return response }
        // Without libxml2 there is no XML.
        return ServiceResponse(
            fault.status, fields: ["Content-Type": MediaType.fhirJSON + "; charset=utf-8"], body: .data(Data(fault.outcomeJSON.utf8)))
    }

    private func checkLimits(_ request: ServiceRequest) throws {
        let limits = configuration.limits
        guard request.target.utf8.count <= limits.targetBytes else {
            throw ServiceFault(414, "too-long", "the address is longer than \(limits.targetBytes) bytes: POST to _search instead")
        }
        guard request.body.count <= limits.bodyBytes else {
            throw ServiceFault(413, "too-long", "the body is longer than \(limits.bodyBytes) bytes")
        }
    }

    private func finished(_ response: ServiceResponse, _ request: ServiceRequest) -> ServiceResponse {
        var response = response
        response.fields["X-Request-Id"] = Self.requestID(request.fields["X-Request-Id"])
        // Nothing that the store holds is ever run or kept by a browser.
        response.fields["X-Content-Type-Options"] = "nosniff"
        if response.fields["Cache-Control"] == nil { response.fields["Cache-Control"] = "no-store" }
        if response.fields["Vary"] == nil { response.fields["Vary"] = "Accept, Authorization, Prefer" }
        if case .data(let data) = response.body, response.status != 204, response.status != 304 {
            response.fields["Content-Length"] = String(data.count)
        }
        if request.method == .head { response.body = .data(Data()) }
        return response
    }

    /// The client's id of the request if it is one word, or a new one.
    static func requestID(_ given: String?) -> String {
        guard let given, (1...128).contains(given.utf8.count), given.utf8.allSatisfy({ 33...126 ~= $0 }) else {
            return RandomUUID.text()
        }
        return given
    }

    // MARK: - Access

    private func access(of request: ServiceRequest, _ route: Route) async throws -> ServiceAccess {
        guard let authorizer = configuration.authorizer else { return ServiceAccess(subject: "anonymous") }
        let words = (request.fields["Authorization"] ?? "").utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map { Substring($0) }
        let token = words.count == 2 && words[0].lowercased() == "bearer" ? HeaderElement.trimmed(words[1]) : nil
        if let access = try await authorizer.access(token: token.map { Secret($0) }, base: base) { return access }
        if route.isOpen { return ServiceAccess(subject: "anonymous", scopes: []) }
        let problem = token == nil ? "" : ", error=\"invalid_token\""
        throw ServiceFault(
            401, token == nil ? "login" : "security", token == nil ? "a bearer token is required" : "the token is not valid",
            at: "http.Authorization", fields: ["WWW-Authenticate": "Bearer realm=\"fhir\"\(problem)"])
    }

    /// Appends the request to the audit trail of the store, or each of its entries, without what its writes have recorded already.
    ///
    /// - Returns: the error if it cannot, so that nothing unaudited is handed out.
    private func audit(
        _ request: ServiceRequest, at route: Route, _ access: ServiceAccess?, _ notes: AuditNotes, status: Int
    ) async -> (any Error)? {
        guard let trail = store.auditTrail, !route.isOpen else { return nil }
        let rows = notes.rows(AuditAccess(request.method, route, status: status))
        guard !rows.isEmpty else { return nil }
        do {
            try await trail.append(rows, by: AuditParty(access?.subject ?? "anonymous"))
            return nil
        } catch { return error }
    }
}

extension Route {
    /// Whether answers can have other forms than resources.
    var hasOwnForms: Bool {
        switch self {
        case .instance("Binary", _), .file, .operation("viewdefinition-run", nil, nil), .operation("events", "Subscription"?, _): true
        default: false
        }
    }
}

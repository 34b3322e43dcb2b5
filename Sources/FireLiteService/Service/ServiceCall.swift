import FireLiteClient
import FireLiteCore
import FireLiteXML
import Foundation

/// One request, with what is known of it before it is answered.
struct ServiceCall: Sendable {
    let request: ServiceRequest
    let route: Route
    let query: QueryItems
    let presentation: Presentation
    /// What the client may do; nil scopes permit everything.
    let access: ServiceAccess
    /// The moment of the request; of a write, a moment when nothing else was being written: see `written(at:)`.
    private(set) var now: Date
    /// What the audit trail is to have of the request; nil without a trail.
    var notes: AuditNotes?

    init(
        request: ServiceRequest, route: Route, query: QueryItems, presentation: Presentation, access: ServiceAccess, now: Date,
        notes: AuditNotes? = nil
    ) {
        self.request = request
        self.route = route
        self.query = query
        self.presentation = presentation
        self.access = access
        self.now = now
        self.notes = notes
    }

    /// The call with the time of its write, which is `meta.lastUpdated` of what it stores. It must not be that of the request: a search or an export
    /// meanwhile would have a later time, and who continues from there would miss what is committed afterwards.
    func written(at time: Date) -> ServiceCall {
        var call = self
        call.now = time
        return call
    }

    /// The restriction of what an interaction sees; nil if the client sees everything.
    func restriction(for permission: SMARTScope.Permission) -> ScopeRestriction? {
        access.scopes.map { _ in ScopeRestriction(access, for: permission) }
    }

    /// Refuses an interaction that no scope permits for any resource of a type.
    ///
    /// - Throws: `ServiceFault` with status 403.
    func require(_ permission: SMARTScope.Permission, _ type: String?) throws {
        guard let scopes = access.scopes else { return }
        let counting = scopes.filter { $0.context != .patient || access.patient != nil }
        guard counting.contains(where: { $0.permits(permission, type) }) else { throw Self.forbidden(type) }
    }

    static func forbidden(_ type: String?) -> ServiceFault {
        ServiceFault(403, "forbidden", "the token's scopes do not permit this\(type.map { " for \($0)" } ?? "")")
    }
}

/// An answer before it has a form.
struct Answer {
    enum Content {
        case none
        case resource(FHIRResource)
        /// The JSON of a resource.
        case json(String)
        /// The JSON of a resource, in its shortest form.
        case bytes(Data)
        /// Content that is no resource, with its media type.
        case raw(Data, String)
        case stream(HTTPBody, String)
    }

    var status: Int
    var fields: HTTPFields = [:]
    var content = Content.none

    init(_ status: Int, _ content: Content = .none, fields: HTTPFields = [:]) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// The answer in the form that the request asks for.
    ///
    /// - Throws: `FHIRXMLError` for content that XML cannot hold.
    func response(_ presentation: Presentation, _ release: FHIRRelease) throws -> ServiceResponse {
        var response = ServiceResponse(status, fields: fields)
        func set(_ data: Data, _ type: String) {
            response.body = .data(data)
            response.fields["Content-Type"] = type
        }
        let type = presentation.format.mediaType(release) + "; charset=utf-8"
        switch content {
        case .none: break
        case .raw(let data, let type): set(data, type)
        case .stream(let body, let type):
            response.body = .stream(body)
            response.fields["Content-Type"] = type
        case .resource(let resource): set(try Self.data(resource, presentation), type)
        case .json(let text):
            if presentation.format == .json, !presentation.isPretty {
                set(Data(text.utf8), type)
            } else {
                set(try Self.data(try FHIRJSON.resource(from: Data(text.utf8), release: release), presentation), type)
            }
        case .bytes(let json):
            if presentation.format == .json, !presentation.isPretty {
                set(json, type)
            } else {
                set(try Self.data(try FHIRJSON.resource(from: json, release: release), presentation), type)
            }
        }
        return response
    }

    /// The answer to a request that has changed the store: in JSON if XML cannot hold it, as a refusal would say that nothing was done.
    func responseAfterCommit(_ presentation: Presentation, _ release: FHIRRelease) throws -> ServiceResponse {
        do { return try response(presentation, release) } catch is FHIRXMLError {
            var presentation = presentation
            presentation.format = .json
            return try response(presentation, release)
        }
    }

    private static func data(_ resource: FHIRResource, _ presentation: Presentation) throws -> Data {
        switch presentation.format {
        case .json: FHIRJSON.data(resource, pretty: presentation.isPretty)
        case .xml: try FHIRXML.data(resource, pretty: presentation.isPretty)
        }
    }
}

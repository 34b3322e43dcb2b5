import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// An entry of a batch or transaction: what it asks for.
///
/// A class, as the steps of a transaction go over all entries again and again.
final class BundleRequest {
    let index: Int
    let fullUrl: String?
    /// The resource of the entry, taken out of the Bundle, until it is taken from here.
    private(set) var resource: FHIRResource?
    let method: HTTPMethod
    let route: Route
    let query: QueryItems
    let url: String
    let conditions: WriteRun.Preconditions
    let ifNoneExist: QueryItems?
    let ifModifiedSince: String?

    /// The `fullUrl` as it is compared.
    var entryName: String? { fullUrl.map(Self.entryName) }
    /// A `fullUrl`, or a text that may be one, as they are compared: without the case of the digits of a UUID (RFC 9562, 4).
    static func entryName(_ text: String) -> String { text.hasPrefix("urn:uuid:") ? text.lowercased() : text }

    var place: String { "Bundle.entry[\(index)]" }
    var isRead: Bool { method == .get || method == .head || isOperation }
    /// Whether it calls an operation by POST; those that an entry can call read only.
    private var isOperation: Bool { if case .operation = route { method == .post } else { false } }

    /// - Throws: `ServiceFault` for an entry that asks for nothing that can be done.
    init(_ entry: FHIRObject, _ index: Int, _ service: FHIRService) throws {
        self.index = index
        fullUrl = entry.text("fullUrl")
        resource = entry.takeResource("resource")
        guard let request = entry.child("request") else { throw ServiceFault(400, "required", "the entry has no request") }
        guard let verb = request.text("method"), let url = request.text("url") else {
            throw ServiceFault(400, "required", "the request of the entry has no method, or no url")
        }
        method = HTTPMethod(rawValue: verb)
        self.url = url
        let target = try Target(url, base: service.base, isRelative: true)
        route = try Route(target.segments, service.release)
        query = target.query
        conditions = WriteRun.Preconditions(ifMatch: request.text("ifMatch"), ifNoneMatch: request.text("ifNoneMatch"))
        // Some clients put the condition into the address.
        let addressed: QueryItems? = if method == .post, case .type = route, !query.conditions.isEmpty { query } else { nil }
        ifNoneExist = try request.text("ifNoneExist").map { try QueryItems(condition: $0) } ?? addressed
        ifModifiedSince = request.instant("ifModifiedSince").map { HTTPDate.text($0.date) }
        switch (method, route) {
        case (.get, _), (.head, _): break
        case (.post, .type), (.put, .type), (.put, .instance), (.patch, .type), (.patch, .instance):
            guard resource != nil else { throw ServiceFault(400, "required", "the entry has no resource") }
        case (.delete, .type), (.delete, .instance): break
        case (.post, .operation(let name, _, _)) where ReadRun.entryOperations.contains(name): break
        case (.post, .search), (.post, .operation):
            throw ServiceFault(
                400, "not-supported", "entries can read, create, update, patch and delete, search by GET, and call operations that read")
        default: throw ServiceFault(400, "not-supported", "the request of the entry is none that an entry can make")
        }
        if let type, method == .post || method == .put, resource?.resourceType != type {
            throw ServiceFault(400, "invalid", "the resource of the entry is not of the type of its address")
        }
        if case .instance(_, let id) = route, method == .put {
            guard resource?.id == id else { throw ServiceFault(400, "invalid", "the id of the resource is not that of the address") }
        }
    }

    /// Takes the resource, which has no owner then.
    func takeResource() -> FHIRResource? { resource.take() }

    /// The type that a write is about.
    var type: String? {
        switch route {
        case .type(let type), .instance(let type, _): type
        default: nil
        }
    }

    /// The order of a transaction (FHIR, RESTful API, Transaction Processing Rules).
    var rank: Int {
        switch method {
        case .delete: 0
        case .post: 1
        case .put, .patch: 2
        default: 3
        }
    }

    /// The request as one of its own.
    func call(in outer: ServiceCall) throws -> ServiceCall {
        var fields: HTTPFields = [:]
        fields["If-None-Match"] = isRead ? conditions.ifNoneMatch : nil
        fields["If-Modified-Since"] = ifModifiedSince
        let body = isOperation ? resource.map { FHIRJSON.data($0) } ?? Data() : Data()
        if !body.isEmpty { fields["Content-Type"] = MediaType.fhirJSON }
        var presentation = Presentation.plain
        presentation.handling = outer.presentation.handling
        presentation.content = outer.presentation.content
        return ServiceCall(
            request: ServiceRequest(method, url, fields: fields, body: body), route: route, query: query, presentation: presentation,
            access: outer.access,
            now: outer.now)
    }
}

/// The entry of an answer to a batch or transaction.
struct BundleResult {
    var status: Int
    var location: String?
    var etag: String?
    var lastModified: String?
    /// The JSON of a resource.
    var resource: String?
    /// The JSON of an OperationOutcome.
    var outcome: String?

    init(_ outcome: WriteOutcome, _ call: ServiceCall, _ service: FHIRService) {
        status = outcome.status
        guard outcome.isStored else { return }
        location = outcome.location(service.base)
        etag = outcome.version.map(EntityTag.text)
        lastModified = outcome.updated
        if call.presentation.content == .representation { self.resource = outcome.representation.map { FHIRJSON.string($0) } }
        if call.presentation.content == .outcome { self.outcome = WriteOutcome.outcome("the resource is stored") }
    }

    init(_ answer: Answer) {
        status = answer.status
        etag = answer.fields["ETag"]
        switch answer.content {
        case .resource(let found):
            resource = FHIRJSON.string(found)
            lastModified = found.child("meta")?.instant("lastUpdated")?.literal
        case .json(let text): resource = text
        case .bytes(let json): resource = String(decoding: json, as: UTF8.self)
        default: break
        }
    }

    init(_ fault: ServiceFault) {
        status = fault.status
        outcome = fault.outcomeJSON
    }

    /// Appends the entry in JSON.
    func write(to json: inout Data) {
        var text = "{"
        if let resource { text += "\"resource\":\(resource)," }
        text += "\"response\":{\"status\":\"\(status) \(Self.reason(status))\""
        for (name, value) in [("location", location), ("etag", etag), ("lastModified", lastModified)] {
            if let value { text += ",\"\(name)\":\(JSONText.string(value))" }
        }
        if let outcome { text += ",\"outcome\":\(outcome)" }
        text += "}}"
        text.withUTF8 { json.append($0) }
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: status < 500 ? "Error" : "Internal Server Error"
        }
    }
}

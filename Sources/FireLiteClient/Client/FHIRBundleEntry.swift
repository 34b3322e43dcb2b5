import FireLiteCore
import Foundation

/// An entry of a batch or transaction, as JSON, so that it can be kept and sent later.
public struct FHIRBundleEntry: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The entry's request. Its path is the entry's address; `If-Match`, `If-None-Match` and `If-None-Exist` become the entry's conditions.
    public var request: FHIRRequest
    /// The address by which other entries refer to the resource, `urn:uuid:…`; nil if none does.
    public var fullUrl: String?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - request: what it asks for.
    ///   - fullUrl: the address by which other entries refer to the resource.
    public init(_ request: FHIRRequest, fullUrl: String? = nil) {
        self.request = request
        self.fullUrl = fullUrl
    }

    /// The method and the type of resource.
    public var description: String { request.description }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The entry as JSON.
    func append(to json: inout Data) {
        json.append(contentsOf: "{".utf8)
        if let fullUrl { json.append(contentsOf: "\"fullUrl\":\(JSONText.string(fullUrl)),".utf8) }
        if let body = request.body {
            json.append(contentsOf: "\"resource\":".utf8)
            if request.method == .patch, request.fields["Content-Type"].map({ MediaType($0).isJSONPatch }) == true {
                // A patch travels as a Binary (https://hl7.org/fhir/http.html#patch).
                let text = body.base64EncodedString()
                json.append(
                    contentsOf: "{\"resourceType\":\"Binary\",\"contentType\":\"\(MediaType.jsonPatch)\",\"data\":\"\(text)\"}".utf8)
            } else {
                json.append(body)
            }
            json.append(contentsOf: ",".utf8)
        }
        let query = request.parameters.all.isEmpty ? "" : "?" + request.parameters.query
        var members = ["\"method\":\(JSONText.string(request.method.rawValue))", "\"url\":\(JSONText.string(request.path + query))"]
        for (member, field) in [("ifNoneMatch", "If-None-Match"), ("ifMatch", "If-Match"), ("ifNoneExist", "If-None-Exist")] {
            if let value = request.fields[field] { members.append("\"\(member)\":\(JSONText.string(value))") }
        }
        json.append(contentsOf: "\"request\":{\(members.joined(separator: ","))}}".utf8)
    }
}

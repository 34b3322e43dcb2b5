import Foundation

/// An interaction with a FHIR server (<https://hl7.org/fhir/http.html>) as a value that can be kept and sent later.
///
/// Its description shows the method and the type of resource only.
public struct FHIRRequest: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// The method.
    public var method: HTTPMethod
    /// The path below the server's base address: `Patient/1`. Empty for the base itself.
    public var path: String
    /// The parameters of the address.
    public var parameters: FHIRParameters
    /// Header fields beside those that the client adds: `If-Match`, `If-None-Exist`, `Prefer`, `Content-Type`.
    public var fields: HTTPFields
    /// The body, or nil.
    public var body: Data?
    /// Whether sending it twice does no more than sending it once, so that it may be repeated if an answer got lost.
    public var isRepeatable: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the path below the server's base address.
    ///   - parameters: the parameters of the address.
    ///   - fields: header fields beside those that the client adds.
    ///   - body: the body, or nil.
    ///   - isRepeatable: whether sending it twice does no more than sending it once; nil for what the method and the conditions say.
    public init(
        _ method: HTTPMethod, _ path: String, parameters: FHIRParameters = [:], fields: HTTPFields = [:], body: Data? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.fields = fields
        self.body = body
        self.isRepeatable = isRepeatable ?? Self.isRepeatable(method, fields)
    }

    /// With `If-Match`, a second attempt is refused although the first one was done.
    private static func isRepeatable(_ method: HTTPMethod, _ fields: HTTPFields) -> Bool {
        switch method {
        case .get, .head: true
        case .put, .delete: fields["If-Match"] == nil
        case .post: fields["If-None-Exist"] != nil
        default: false
        }
    }

    /// The method and the type of resource, `PUT Patient`.
    public var description: String {
        let first = path.split(separator: "/").first ?? ""
        return first.utf8.allSatisfy { 65...90 ~= $0 || 97...122 ~= $0 || $0 == 36 || $0 == 95 } && !first.isEmpty
            ? "\(method) \(first)" : "\(method)"
    }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

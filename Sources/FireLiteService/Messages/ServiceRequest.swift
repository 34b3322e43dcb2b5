import FireLiteClient
import Foundation

/// A request to a ``FHIRService``, as in HTTP. Its description shows no parameters, fields or body.
public struct ServiceRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The method.
    public var method: HTTPMethod
    /// The path with the query, `/fhir/Patient?name=peter`, or the whole address.
    public var target: String
    /// The header fields, which may include a token.
    public var fields: HTTPFields
    /// The body; empty if there is none.
    public var body: Data

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - target: the path with the query, or the whole address.
    ///   - fields: the header fields. Default: none.
    ///   - body: the body. Default: none.
    public init(_ method: HTTPMethod, _ target: String, fields: HTTPFields = [:], body: Data = Data()) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// The method.
    public var description: String { "HTTP \(method)" }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

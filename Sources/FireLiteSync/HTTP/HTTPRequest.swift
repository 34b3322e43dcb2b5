import Foundation

/// A request as a transport sends it. Its description shows no parameters, fields or body.
public struct HTTPRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The method.
    public var method: HTTPMethod
    /// The absolute address.
    public var url: URL
    /// The header fields; among them may be a token.
    public var fields: HTTPFields
    /// The body, or nil.
    public var body: Data?
    /// The longest time without a byte from the server.
    public var timeout: Duration

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the absolute address.
    ///   - fields: the header fields.
    ///   - body: the body, or nil.
    ///   - timeout: the longest time without a byte from the server.
    public init(_ method: HTTPMethod, _ url: URL, fields: HTTPFields = [:], body: Data? = nil, timeout: Duration = .seconds(60)) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }

    /// The method and the host.
    public var description: String { "\(method) \(url.scheme ?? "")://\(url.host ?? "")" }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

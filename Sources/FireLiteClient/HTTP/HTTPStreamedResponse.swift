import Foundation

/// A response whose body is read as it arrives. Its description shows only the status.
public struct HTTPStreamedResponse: Sendable, CustomStringConvertible, CustomReflectable {
    /// The status code, 200 to 599.
    public var status: Int
    /// The header fields.
    public var fields: HTTPFields
    /// The body, for one loop.
    public var body: HTTPBody

    /// Creates a response.
    public init(_ status: Int, fields: HTTPFields = [:], body: HTTPBody) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The status code.
    public var description: String { "HTTP \(status)" }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

import FireLiteCore
import Foundation

/// A response with its whole body. Its description shows only the status.
public struct HTTPResponse: Sendable, CustomStringConvertible, CustomReflectable {
    /// The status code, 200 to 599.
    public var status: Int
    /// The header fields.
    public var fields: HTTPFields
    /// The body; empty if there is none.
    public var body: Data

    /// Creates a response.
    public init(_ status: Int, fields: HTTPFields = [:], body: Data = Data()) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether it is a page for people, as portals and gateways return it.
    package var isPage: Bool {
        fields["Content-Type"].map { MediaType($0).isPage } == true || body.first { $0 > 0x20 } == UInt8(ascii: "<")
    }

    /// The status code.
    public var description: String { "HTTP \(status)" }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

import FireLiteClient
import Foundation

/// The answer of a ``FHIRService``. Its description shows only the status.
public struct ServiceResponse: Sendable, CustomStringConvertible, CustomReflectable {
    /// The content of an answer.
    public enum Body: Sendable {
        /// A body in memory; empty if there is none.
        case data(Data)
        /// A long body, which is produced while it is read.
        case stream(HTTPBody)
    }

    /// The status code.
    public var status: Int
    /// The header fields.
    public var fields: HTTPFields
    /// The body.
    public var body: Body

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields. Default: none.
    ///   - body: the body. Default: none.
    public init(_ status: Int, fields: HTTPFields = [:], body: Body = .data(Data())) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The whole body.
    ///
    /// - Throws: an error if the body cannot be produced.
    public func data() async throws -> Data {
        switch body {
        case .data(let data): data
        case .stream(let stream): try await stream.collected()
        }
    }

    /// The status code.
    public var description: String { "HTTP \(status)" }

    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An HTTP method.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The method's name, in capitals.
    public let rawValue: String
    /// The method with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads without the body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Creates, searches, or calls an operation.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Updates.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes parts.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Deletes.
    public static let delete = HTTPMethod(rawValue: "DELETE")

    /// The method's name.
    public var description: String { rawValue }
}

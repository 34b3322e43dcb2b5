import Foundation

/// A registered client: what the server gave out and says about it. Its description shows only the id.
public struct RegisteredClient: Sendable, Hashable, Codable, CustomStringConvertible, CustomReflectable {
    /// Every member of the server's answer, secrets included.
    public let members: [String: JSONValue]

    init(_ members: [String: JSONValue]) { self.members = members }

    /// Decodes the members of the server's answer.
    public init(from decoder: any Decoder) throws { members = try decoder.singleValueContainer().decode([String: JSONValue].self) }

    /// Encodes all members, secrets included.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }

    /// The client's id.
    public var id: String { members["client_id"]?.text ?? "" }
    /// Its secret; nil for a client without one.
    public var secret: Secret? { members["client_secret"]?.text.map { Secret($0) } }
    /// When the secret ends; nil for never.
    public var secretExpires: Date? {
        guard let seconds = members["client_secret_expires_at"]?.number, seconds > 0 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }
    /// The token for changing the registration (RFC 7592); nil if the server permits no changes.
    public var registrationToken: Secret? { members["registration_access_token"]?.text.map { Secret($0) } }
    /// The address for changing the registration (RFC 7592); nil if the server permits no changes.
    public var registrationURL: URL? { members["registration_client_uri"]?.text.flatMap { URL(string: $0) } }

    /// The client for asking for tokens.
    ///
    /// - Parameter key: its key, if it registered one.
    public func client(key: PrivateKey? = nil) -> OAuthClient {
        if let key { return OAuthClient(id: id, authentication: .key(key)) }
        guard let secret else { return OAuthClient(id: id) }
        let isInBody = members["token_endpoint_auth_method"]?.text == "client_secret_post"
        return OAuthClient(id: id, authentication: isInBody ? .secretInBody(secret) : .secret(secret))
    }

    /// The id.
    public var description: String { "client \(id)" }
    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

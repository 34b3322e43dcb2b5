import Foundation

/// The metadata that an app registers with (RFC 7591).
public struct ClientRegistration: Sendable {
    /// The name that users see.
    public var name: String
    /// Where browsers are sent after signing in.
    public var redirectURLs: [URL]
    /// The requested scopes.
    public var scope: String?
    /// How it gets tokens: `authorization_code`, `refresh_token`, `client_credentials`.
    public var grantTypes: [String]
    /// How it proves who it is: `client_secret_basic`, `client_secret_post`, `private_key_jwt`, `none`.
    public var authenticationMethod: String
    /// Its picture.
    public var logoURL: URL?
    /// Its public keys: `PrivateKey.publicKeySet()`.
    public var keys: JSONValue?
    /// Further members: a `software_statement`, the receipt of an app store.
    public var additional: [String: JSONValue]

    /// Creates a registration.
    ///
    /// - Parameters:
    ///   - name: the name that users see.
    ///   - redirectURLs: where browsers are sent after signing in.
    ///   - scope: what it asks for.
    ///   - grantTypes: how it gets tokens.
    ///   - authenticationMethod: how it proves who it is.
    ///   - logoURL: its picture.
    ///   - keys: its public keys.
    ///   - additional: further members.
    public init(
        name: String, redirectURLs: [URL] = [], scope: String? = nil, grantTypes: [String] = ["client_credentials"],
        authenticationMethod: String = "client_secret_basic", logoURL: URL? = nil, keys: JSONValue? = nil,
        additional: [String: JSONValue] = [:]
    ) {
        self.name = name
        self.redirectURLs = redirectURLs
        self.scope = scope
        self.grantTypes = grantTypes
        self.authenticationMethod = authenticationMethod
        self.logoURL = logoURL
        self.keys = keys
        self.additional = additional
    }

    /// The members of the request.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "client_name": .string(name), "grant_types": .array(grantTypes.map { .string($0) }),
            "token_endpoint_auth_method": .string(authenticationMethod),
            "response_types": .array(grantTypes.contains("authorization_code") ? ["code"] : []),
        ]
        if !redirectURLs.isEmpty { members["redirect_uris"] = .array(redirectURLs.map { .string($0.absoluteString) }) }
        if let scope { members["scope"] = .string(scope) }
        if let logoURL { members["logo_uri"] = .string(logoURL.absoluteString) }
        if let keys { members["jwks"] = keys }
        return members.merging(additional) { _, added in added }
    }
}

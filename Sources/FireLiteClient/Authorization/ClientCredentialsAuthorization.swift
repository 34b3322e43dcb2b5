import Foundation

/// Access of a service in its own name: OAuth's client credentials, by a secret or, as SMART's backend services, by a signed assertion.
///
/// ```swift
/// let key = try PrivateKey(pem: pem, id: "key-1")
/// let service = OAuthClient(id: "my-service", authentication: .key(key))
/// let client = try FHIRClient(
///     base: server, release: .r4, authorization: .clientCredentials(service, scope: "system/*.rs"))
/// ```
public struct ClientCredentialsAuthorization: Authorization {
    private let client: OAuthClient
    private let scope: String?
    private let tokenEndpoint: URL?
    private let keeper = TokenKeeper()
    private let discovery = Discovery()

    /// Creates an authorization. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - client: the service.
    ///   - scope: what it asks for, `system/*.rs`; nil to leave it to the server.
    ///   - tokenEndpoint: where tokens are given out; nil to ask the FHIR server.
    package init(_ client: OAuthClient, scope: String?, tokenEndpoint: URL? = nil) {
        self.client = client
        self.scope = scope
        self.tokenEndpoint = tokenEndpoint
    }

    /// The value of the field `Authorization` for a request.
    public func header(for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context) { try await fetch(context) }?.header
    }

    /// A replacement for the value that the server refused; nil if there is none.
    public func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context, replacing: rejected) { try await fetch(context) }?.header
    }

    private func fetch(_ context: AuthorizationContext) async throws -> AccessToken {
        let endpoint = try await discovery.tokenEndpoint(tokenEndpoint, context)
        var parameters: FHIRParameters = ["grant_type": "client_credentials"]
        if let scope { parameters.append("scope", scope) }
        return try await client.token(endpoint, parameters, context)
    }
}

extension Authorization where Self == ClientCredentialsAuthorization {
    /// Access of a service in its own name.
    ///
    /// - Parameters:
    ///   - client: the service.
    ///   - scope: what it asks for; nil to leave it to the server.
    ///   - tokenEndpoint: where tokens are given out; nil to ask the FHIR server.
    public static func clientCredentials(
        _ client: OAuthClient, scope: String?, tokenEndpoint: URL? = nil
    ) -> ClientCredentialsAuthorization {
        ClientCredentialsAuthorization(client, scope: scope, tokenEndpoint: tokenEndpoint)
    }
}

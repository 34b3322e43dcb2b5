import Foundation

/// Access of a client that registers itself when it first needs a token, and then uses client credentials.
///
/// What the server gives out is kept in the credential store. A client whose secret has ended registers again.
public struct RegisteredClientAuthorization: Authorization {
    private let registration: ClientRegistration
    private let key: PrivateKey?
    private let credentials: any CredentialStore
    private let name: String
    private let registrationEndpoint: URL?
    private let tokenEndpoint: URL?
    private let initialToken: Secret?
    private let change: (@Sendable (inout [String: JSONValue]) async throws -> Void)?
    private let keeper = TokenKeeper()
    private let discovery = Discovery()

    /// Creates an authorization. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - registration: what the client says about itself.
    ///   - credentials: where the registration is kept.
    ///   - name: the name under which it is kept; the server's address is added to it.
    ///   - key: the client's key, for the method `private_key_jwt`.
    ///   - registrationEndpoint: where clients register; nil to ask the FHIR server.
    ///   - tokenEndpoint: where tokens are given out; nil to ask the FHIR server.
    ///   - initialToken: the token that the server wants for a registration; nil for none.
    ///   - change: may change the members of the registration before they are sent.
    public init(
        _ registration: ClientRegistration, credentials: any CredentialStore, name: String = "client", key: PrivateKey? = nil,
        registrationEndpoint: URL? = nil, tokenEndpoint: URL? = nil, initialToken: Secret? = nil,
        changing change: (@Sendable (inout [String: JSONValue]) async throws -> Void)? = nil
    ) {
        self.registration = registration
        self.credentials = credentials
        self.name = name
        self.key = key
        self.registrationEndpoint = registrationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.initialToken = initialToken
        self.change = change
    }

    /// The value of the field `Authorization` for a request.
    public func header(for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context) { try await fetch(context) }?.header
    }

    /// A replacement for the value that the server refused; nil if there is none.
    public func header(replacing rejected: String, for context: AuthorizationContext) async throws -> String? {
        try await keeper.token(context, replacing: rejected) { try await fetch(context) }?.header
    }

    /// Runs once at a time, as the keeper asks for one token at a time.
    private func fetch(_ context: AuthorizationContext) async throws -> AccessToken {
        let client = try await registeredClient(context)
        let endpoint = try await discovery.tokenEndpoint(tokenEndpoint, context)
        var parameters: FHIRParameters = ["grant_type": "client_credentials"]
        if let scope = registration.scope { parameters.append("scope", scope) }
        return try await client.client(key: key).token(endpoint, parameters, context)
    }

    private func registeredClient(_ context: AuthorizationContext) async throws -> RegisteredClient {
        let storedName = "\(name) \(context.base.absoluteString)"
        if let client = try await credentials.load(RegisteredClient.self, named: storedName),
            client.secretExpires.map({ $0 > context.configuration.clock.now() }) ?? true
        {
            return client
        }
        var endpoint = registrationEndpoint
        if endpoint == nil { endpoint = try await discovery.configuration(context).registrationEndpoint }
        guard let endpoint else { throw AuthorizationError(.noEndpoint, "the server does not say where clients register") }
        let registrar = ClientRegistrar(context, endpoint: endpoint, initialToken: initialToken)
        let client = try await registrar.register(registration, changing: change)
        try await credentials.store(client, named: storedName)
        return client
    }
}

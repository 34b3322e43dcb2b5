import FireLiteCore
import Foundation

/// Registers clients with an authorization server (RFC 7591), and reads, changes and deletes registrations (RFC 7592).
public struct ClientRegistrar: Sendable {
    private let context: AuthorizationContext
    private let endpoint: URL?
    private let initialToken: Secret?

    /// Creates a registrar. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - context: the FHIR server and how to reach it: ``FHIRClient/authorizationContext``.
    ///   - endpoint: where clients register; nil to ask the FHIR server.
    ///   - initialToken: the token that the server wants for it; nil for none.
    public init(_ context: AuthorizationContext, endpoint: URL? = nil, initialToken: Secret? = nil) {
        self.context = context
        self.endpoint = endpoint
        self.initialToken = initialToken
    }

    /// Registers a client.
    ///
    /// - Parameters:
    ///   - registration: what it says about itself.
    ///   - change: may change the members before they are sent.
    /// - Throws: ``AuthorizationError``.
    public func register(
        _ registration: ClientRegistration, changing change: (@Sendable (inout [String: JSONValue]) async throws -> Void)? = nil
    ) async throws -> RegisteredClient {
        let endpoint: URL
        if let given = self.endpoint {
            endpoint = given
        } else {
            guard let found = try await SMARTConfiguration.discover(context).registrationEndpoint else {
                throw AuthorizationError(.noEndpoint, "the server does not say where clients register")
            }
            endpoint = found
        }
        var members = registration.members
        try await change?(&members)
        return try await exchange(.post, endpoint, members, token: initialToken, expecting: [201, 200])
    }

    /// Reads a registration.
    ///
    /// - Parameter client: the registered client.
    /// - Throws: ``AuthorizationError``.
    public func read(_ client: RegisteredClient) async throws -> RegisteredClient {
        try await exchange(.get, try address(client), nil, token: client.registrationToken, expecting: [200]).keeping(client)
    }

    /// Changes a registration.
    ///
    /// - Parameters:
    ///   - client: the registered client.
    ///   - registration: what it says about itself now, completely.
    /// - Throws: ``AuthorizationError``.
    public func update(_ client: RegisteredClient, _ registration: ClientRegistration) async throws -> RegisteredClient {
        var members = registration.members
        members["client_id"] = .string(client.id)
        if let secret = client.secret { members["client_secret"] = .string(secret.value) }
        return try await exchange(.put, try address(client), members, token: client.registrationToken, expecting: [200]).keeping(client)
    }

    /// Deletes a registration.
    ///
    /// - Parameter client: the registered client.
    /// - Throws: ``AuthorizationError``.
    public func delete(_ client: RegisteredClient) async throws {
        let response = try await send(.delete, try address(client), nil, token: client.registrationToken)
        guard response.status == 204 || response.status == 200 else {
            throw AuthorizationError("the client cannot be deleted", response)
        }
    }

    private func address(_ client: RegisteredClient) throws -> URL {
        guard let url = client.registrationURL else {
            throw AuthorizationError(.noEndpoint, "the server permits no changes of the registration: it gave no registration_client_uri")
        }
        return url
    }

    private func exchange(
        _ method: HTTPMethod, _ url: URL, _ members: [String: JSONValue]?, token: Secret?, expecting statuses: Set<Int>
    ) async throws -> RegisteredClient {
        let response = try await send(method, url, members, token: token)
        guard statuses.contains(response.status) else { throw AuthorizationError("the client cannot be registered", response) }
        var answer: [String: JSONValue] = [:]
        do { answer = try JSONDecoder().decode([String: JSONValue].self, from: response.body) } catch {}
        guard let id = answer["client_id"]?.text, !id.isEmpty else {
            throw AuthorizationError(.invalidResponse, "the answer to the registration has no client_id", status: response.status)
        }
        return RegisteredClient(answer)
    }

    private func send(
        _ method: HTTPMethod, _ url: URL, _ members: [String: JSONValue]?, token: Secret?
    ) async throws -> HTTPResponse {
        var fields: HTTPFields = ["Accept": MediaType.json]
        if let token { fields["Authorization"] = "Bearer " + token.value }
        var body: Data?
        if let members {
            fields["Content-Type"] = MediaType.json
            do { body = try JSONEncoder().encode(members) } catch {
                throw AuthorizationError(.invalidArgument, "the registration cannot be written as JSON")
            }
        }
        let configuration = context.configuration
        let request = configuration.request(method, url, fields: fields, body: body, remaining: configuration.deadline)
        return try await context.send { request }
    }
}

extension RegisteredClient {
    /// With what the server gave out earlier and does not repeat.
    fileprivate func keeping(_ earlier: RegisteredClient) -> RegisteredClient {
        let names = ["client_secret", "registration_access_token", "registration_client_uri"]
        return RegisteredClient(members.merging(earlier.members.filter { names.contains($0.key) }) { new, _ in new })
    }
}

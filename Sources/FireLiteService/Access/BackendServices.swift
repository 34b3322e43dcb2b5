import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import Foundation

/// SMART Backend Services: gives tokens to registered clients that sign a request with their key (`private_key_jwt`, RFC 7523).
///
/// An assertion must be for the token endpoint, is valid for at most five minutes, and can be used once. Tokens are valid for five
/// minutes and are kept in memory: after a restart, clients ask again.
public actor BackendServices: ServiceAuthorizer {
    /// A registered client.
    public struct Client: Sendable {
        let id: String
        let keys: KeySet
        let scopes: [SMARTScope]

        /// Registers a client.
        ///
        /// - Parameters:
        ///   - id: its id.
        ///   - jwks: its public keys, a JSON Web Key Set.
        ///   - scopes: the scopes that it may ask for, separated by spaces.
        /// - Throws: ``ServiceError/Code/credentials`` if `jwks` is not a set of keys.
        public init(id: String, jwks: Data, scopes: String) throws {
            self.id = id
            keys = try KeySet(jwks)
            self.scopes = SMARTScope.list(scopes)
        }
    }

    private let clients: [String: Client]
    private let clock: FHIRClock
    /// Accesses by the digest of their token, and until when.
    private var given: [Data: (access: ServiceAccess, end: Date)] = [:]
    /// The ids of assertions that were used, and until when they would be valid.
    private var used: [String: Date] = [:]

    /// The seconds that a token, and the longest assertion, are valid.
    private static let lifetime: TimeInterval = 300
    private static let skew: TimeInterval = 30
    /// Clients that ask without end fill no memory.
    private static let capacity = 100_000

    /// Creates an authorizer.
    ///
    /// - Parameters:
    ///   - clients: the registered clients.
    ///   - clock: the source of time. Default: the system's.
    public init(_ clients: [Client], clock: FHIRClock = .system) {
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { _, last in last }
        self.clock = clock
    }

    /// The access of the bearer; nil for a token that is unknown or has expired.
    public func access(token: Secret?, base: String) async throws -> ServiceAccess? {
        guard let token, let found = given[HashAlgorithm.sha256.digest(of: token.bytes)], found.end > clock.now() else { return nil }
        return found.access
    }

    /// The token endpoint and how clients authenticate there.
    public nonisolated func configuration(base: String) -> [String: JSONValue] {
        [
            "token_endpoint": .string(base + "/auth/token"), "grant_types_supported": ["client_credentials"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS384", "ES384", "ES256"],
            "scopes_supported": ["system/*.rs", "system/*.cruds"],
            "capabilities": ["client-confidential-asymmetric", "permission-v1", "permission-v2"],
        ]
    }

    /// Answers a request for a token.
    public func token(form: [String: String], base: String, now: Date) async throws -> (status: Int, body: [String: JSONValue])? {
        func refused(_ error: String, _ text: String, _ status: Int = 400) -> (status: Int, body: [String: JSONValue]) {
            (status, ["error": .string(error), "error_description": .string(text)])
        }
        guard form["grant_type"] == "client_credentials" else {
            return refused("unsupported_grant_type", "the grant is client_credentials")
        }
        guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", let text = form["client_assertion"]
        else { return refused("invalid_request", "a client authenticates with a signed assertion (private_key_jwt)") }
        guard let client = client(of: text), let claims = client.keys.claims(of: text), claims["iss"]?.text == client.id,
            claims["sub"]?.text == client.id, claims.audience.contains(base + "/auth/token"), let id = claims["jti"]?.text,
            id.utf8.count <= 256,
            let end = claims.time("exp"), claims.isTime(now, within: Self.skew), end <= now.addingTimeInterval(Self.lifetime + Self.skew)
        else { return refused("invalid_client", "the assertion is not valid", 401) }
        forget(now)
        guard used.count < Self.capacity, given.count < Self.capacity else {
            return refused("temporarily_unavailable", "too many tokens", 503)
        }
        guard used.updateValue(end.addingTimeInterval(Self.skew), forKey: client.id + " " + id) == nil else {
            return refused("invalid_client", "the assertion was used before", 401)
        }
        let wanted = SMARTScope.list(form["scope"] ?? "")
        let scopes = wanted.flatMap { scope in client.scopes.compactMap { $0.common(with: scope) } }
        guard !scopes.isEmpty else { return refused("invalid_scope", "the client has none of these scopes") }
        let token = try BearerTokens.makeToken()
        given[HashAlgorithm.sha256.digest(of: token.bytes)] = (
            ServiceAccess(subject: client.id, scopes: scopes), now.addingTimeInterval(Self.lifetime)
        )
        let granted = scopes.map(\.description).joined(separator: " ")
        return (
            200,
            [
                "access_token": .string(token.value), "token_type": "bearer", "expires_in": .number(Self.lifetime),
                "scope": .string(granted),
            ]
        )
    }

    /// The client that an assertion names, which is not verified yet.
    private func client(of assertion: String) -> Client? {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: parts[1]), let claims = try? JSONItemReader.read(payload) else { return nil }
        return claims["iss"]?.text.flatMap { clients[$0] }
    }

    /// Forgets what is no longer valid.
    private func forget(_ now: Date) {
        given = given.filter { $0.value.end > now }
        used = used.filter { $0.value > now }
    }
}

extension SMARTScope {
    /// What two scopes both permit, for a client that asks for less than it may have; nil for nothing. Of conditions those that were asked for count, so
    /// a client with conditions gets no scope without them.
    func common(with wanted: SMARTScope) -> SMARTScope? {
        guard context == wanted.context, type == nil || wanted.type == nil || type == wanted.type else { return nil }
        guard conditions.isEmpty || conditions == wanted.conditions else { return nil }
        let both = permissions.intersection(wanted.permissions)
        guard !both.isEmpty else { return nil }
        return SMARTScope(context: context, type: type ?? wanted.type, permissions: both, conditions: wanted.conditions)
    }
}

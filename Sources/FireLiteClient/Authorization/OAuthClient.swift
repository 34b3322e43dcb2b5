import FireLiteCore
import FireLiteCrypto
import Foundation

/// An app or service as an authorization server knows it.
public struct OAuthClient: Sendable, CustomStringConvertible {
    /// How it proves who it is.
    public enum Authentication: Sendable {
        /// Not at all: an app that cannot keep a secret.
        case none
        /// By a secret in the field `Authorization`.
        case secret(Secret)
        /// By a secret in the body, for servers that want it there.
        case secretInBody(Secret)
        /// By a signed assertion.
        case key(PrivateKey)
    }

    /// Its id.
    public let id: String
    /// How it proves who it is.
    public let authentication: Authentication

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: its id.
    ///   - authentication: how it proves who it is.
    public init(id: String, authentication: Authentication = .none) {
        self.id = id
        self.authentication = authentication
    }

    /// A request for a token.
    func tokenRequest(_ endpoint: URL, _ parameters: FHIRParameters, _ context: AuthorizationContext) throws -> HTTPRequest {
        var form = parameters
        var fields: HTTPFields = ["Content-Type": MediaType.form, "Accept": MediaType.json]
        switch authentication {
        case .none: form.append("client_id", id)
        case .secret(let secret):
            // Both are encoded as in a form first (RFC 6749, section 2.3.1).
            let text = "\(Self.formEncoded(id)):\(Self.formEncoded(secret.value))"
            fields["Authorization"] = "Basic " + Data(text.utf8).base64EncodedString()
        case .secretInBody(let secret):
            form.append("client_id", id)
            form.append("client_secret", secret.value)
        case .key(let key):
            form.append("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            let now = context.configuration.clock.now()
            form.append("client_assertion", try key.assertion(clientID: id, audience: endpoint, now: now).value)
        }
        let body = form.all.map { "\(Self.formEncoded($0.name))=\(Self.formEncoded($0.value))" }.joined(separator: "&")
        let configuration = context.configuration
        return configuration.request(.post, endpoint, fields: fields, body: Data(body.utf8), remaining: configuration.deadline)
    }

    private static func formEncoded(_ text: String) -> String {
        FHIRParameters.encoded(text).replacingBytes(":", with: "%3A").replacingBytes(",", with: "%2C").replacingBytes("/", with: "%2F")
    }

    /// Asks for a token.
    ///
    /// - Throws: ``AuthorizationError``.
    func token(_ endpoint: URL, _ parameters: FHIRParameters, _ context: AuthorizationContext) async throws -> AccessToken {
        let response = try await context.send { try tokenRequest(endpoint, parameters, context) }
        guard response.status == 200 else { throw AuthorizationError("the authorization server gives no token", response) }
        var members: [String: JSONValue]
        do { members = try JSONDecoder().decode([String: JSONValue].self, from: response.body) } catch {
            throw AuthorizationError(.invalidResponse, "the answer of the authorization server is not JSON", status: 200)
        }
        guard let value = members.removeValue(forKey: "access_token")?.text, Secret(value).isToken
        else { throw AuthorizationError(.invalidResponse, "the answer of the authorization server has no token", status: 200) }
        guard (members.removeValue(forKey: "token_type")?.text ?? "").lowercased() == "bearer" else {
            throw AuthorizationError(.invalidResponse, "the authorization server gives a token of another type than Bearer", status: 200)
        }
        let lifetime = members.removeValue(forKey: "expires_in")
        let seconds = lifetime?.number ?? lifetime?.text.flatMap(Double.init)
        let refresh = members.removeValue(forKey: "refresh_token")?.text
        return AccessToken(
            Secret(value), expires: seconds.map { context.configuration.clock.now().addingTimeInterval($0) },
            scope: members.removeValue(forKey: "scope")?.text, refreshToken: refresh.map { Secret($0) }, context: members)
    }

    /// The id.
    public var description: String { "client \(id)" }
}

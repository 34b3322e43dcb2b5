import FireLiteCore
import Foundation

/// Where a server's authorization server is, and what it can do
/// (<https://hl7.org/fhir/smart-app-launch/conformance.html>).
public struct SMARTConfiguration: Sendable, Hashable, Codable {
    /// Where users sign in.
    public var authorizationEndpoint: URL?
    /// Where tokens are given out.
    public var tokenEndpoint: URL?
    /// Where clients register.
    public var registrationEndpoint: URL?
    /// What the server supports: `client-confidential-asymmetric` and others.
    public var capabilities: [String]?
    /// The scopes that can be asked for.
    public var scopes: [String]?
    /// The methods of PKCE: `S256`.
    public var codeChallengeMethods: [String]?
    /// The algorithms of assertions.
    public var signingAlgorithms: [String]?

    private enum CodingKeys: String, CodingKey {
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case registrationEndpoint = "registration_endpoint"
        case capabilities
        case scopes = "scopes_supported"
        case codeChallengeMethods = "code_challenge_methods_supported"
        case signingAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
    }

    /// Asks a FHIR server: `.well-known/smart-configuration`, else its CapabilityStatement.
    ///
    /// - Parameter context: the server and how to reach it.
    /// - Throws: ``AuthorizationError/Code/noEndpoint`` if neither says; other ``AuthorizationError``s.
    public static func discover(_ context: AuthorizationContext) async throws -> SMARTConfiguration {
        let known = try await get(".well-known/smart-configuration", accept: MediaType.json, context)
        if known.status == 200 {
            do {
                let found = try JSONDecoder().decode(SMARTConfiguration.self, from: known.body)
                if found.tokenEndpoint != nil || found.authorizationEndpoint != nil { return found }
            } catch {
                // Some servers answer every address with a page: the CapabilityStatement decides.
            }
        }
        let statement = try await get("metadata", accept: "\(MediaType.fhirJSON), \(MediaType.oldFHIRJSON)", context)
        if statement.status == 200, let found = fromStatement(statement.body) { return found }
        throw AuthorizationError(
            .noEndpoint, "the server says in neither .well-known/smart-configuration nor its CapabilityStatement where it gives out tokens")
    }

    private static func get(_ path: String, accept: String, _ context: AuthorizationContext) async throws -> HTTPResponse {
        var text = context.base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = URL(string: "\(text)/\(path)") else {
            throw AuthorizationError(.invalidArgument, "the base address of the server is not valid")
        }
        return try await context.send {
            context.configuration.request(.get, url, fields: ["Accept": accept], remaining: context.configuration.deadline)
        }
    }

    /// The extension of a CapabilityStatement, or Conformance, with the addresses of OAuth.
    private static func fromStatement(_ json: Data) -> SMARTConfiguration? {
        struct Statement: Decodable {
            struct Extension: Decodable {
                let url: String
                let valueUri: String?
                let `extension`: [Extension]?
            }
            struct Security: Decodable { let `extension`: [Extension]? }
            struct Rest: Decodable { let security: Security? }
            let rest: [Rest]?
        }
        var statement: Statement?
        do { statement = try JSONDecoder().decode(Statement.self, from: json) } catch { return nil }
        let extensions = (statement?.rest ?? []).flatMap { $0.security?.extension ?? [] }
        guard let addresses = extensions.first(where: { $0.url == "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris" })
        else { return nil }
        func address(_ name: String) -> URL? {
            addresses.extension?.first { $0.url == name }?.valueUri.flatMap { URL(string: $0) }
        }
        var found = SMARTConfiguration()
        found.authorizationEndpoint = address("authorize")
        found.tokenEndpoint = address("token")
        found.registrationEndpoint = address("register")
        return found.tokenEndpoint == nil && found.authorizationEndpoint == nil ? nil : found
    }

    /// A configuration without addresses.
    package init() {}
}

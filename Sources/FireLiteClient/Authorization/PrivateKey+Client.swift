import FireLiteCrypto
import Foundation

extension PrivateKey {
    /// The public key as a JSON Web Key Set, for the server: as `jwks`, or at an address that the server reads.
    ///
    /// - Throws: ``AuthorizationError/Code/invalidKey`` if the system's cryptography fails.
    public func publicKeySet() throws -> JSONValue { .object(["keys": .array([try publicMembers()])]) }

    private func publicMembers() throws -> JSONValue {
        do {
            var members = try JSONWebKey(publicKey)
            members.kid = id
            members.alg = algorithm.rawValue
            members.use = "sig"
            members.key_ops = ["verify"]
            return try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(members))
        } catch { throw AuthorizationError(.invalidKey, "the public key cannot be encoded") }
    }

    /// A signed statement about the client, for one use (RFC 7523; SMART App Launch, backend services).
    ///
    /// - Parameters:
    ///   - clientID: the client.
    ///   - audience: the address of the token endpoint.
    ///   - now: the present.
    func assertion(clientID: String, audience: URL, now: Date) throws -> Secret {
        let header: [String: JSONValue] = ["alg": .string(algorithm.rawValue), "kid": .string(id), "typ": "JWT"]
        let issued = Int(now.timeIntervalSince1970.rounded(.down))
        do {
            let claims: [String: JSONValue] = [
                "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience.absoluteString),
                "iat": .number(Double(issued)), "exp": .number(Double(issued + Self.assertionLifetime)),
                "jti": .string(try RandomBytes.make(24).base64URL),
            ]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Secret(
                try CompactSerialization.text(header: encoder.encode(header), payload: encoder.encode(claims)) {
                    try signature(of: $0, algorithm: algorithm)
                })
        } catch { throw AuthorizationError(.invalidKey, "the key cannot sign: \(error)") }
    }

    /// The seconds for which an assertion is valid: SMART permits five minutes, and clocks differ.
    private static let assertionLifetime = 240
}

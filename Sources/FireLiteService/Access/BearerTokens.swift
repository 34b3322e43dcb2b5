import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import Foundation

/// Fixed tokens, each with the access of its bearer.
///
/// It keeps and compares only their SHA-256 digests, so the duration of a comparison reveals nothing about a token.
public struct BearerTokens: ServiceAuthorizer {
    private let accesses: [Data: ServiceAccess]

    /// Creates an authorizer.
    ///
    /// - Parameter tokens: what the bearer of each token may do.
    /// - Throws: ``ServiceError/Code/credentials`` for a token shorter than 16 characters, or with characters that a header field does not allow.
    public init(_ tokens: [Secret: ServiceAccess]) throws {
        var accesses: [Data: ServiceAccess] = [:]
        for (token, access) in tokens {
            guard token.isToken, token.bytes.count >= 16 else {
                throw ServiceError(.credentials, "a token has at least 16 characters, and no blanks: make one with `openssl rand -hex 24`")
            }
            accesses[Self.digest(token)] = access
        }
        self.accesses = accesses
    }

    /// A fresh token of 192 random bits.
    ///
    /// - Throws: an error of the system's random numbers.
    public static func makeToken() throws -> Secret { Secret(try RandomBytes.make(24).base64URL) }

    private static func digest(_ token: Secret) -> Data { HashAlgorithm.sha256.digest(of: token.bytes) }

    /// The access of the bearer; nil for an unknown token.
    public func access(token: Secret?, base: String) async throws -> ServiceAccess? { token.flatMap { accesses[Self.digest($0)] } }
}

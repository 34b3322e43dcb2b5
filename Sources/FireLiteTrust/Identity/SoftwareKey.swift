import FireLiteCrypto
import Foundation

/// A private key in the memory of the process.
public struct SoftwareKey: IdentityKey, CustomStringConvertible, CustomReflectable {
    let key: PrivateKey
    public let verificationKey: VerificationKey

    /// Makes a new key.
    ///
    /// - Parameter algorithm: ES256, which every party understands, or ES384.
    /// - Throws: ``TrustError/Code/key`` for RS384, and if the system's cryptography fails.
    public init(_ algorithm: JWSAlgorithm = .es256) throws {
        guard algorithm != .rs384 else { throw TrustError(.key, "keys for RS384 are not made: use ES256") }
        try self.init { try PrivateKey(algorithm == .es384 ? .p384 : .p256) }
    }

    /// Reads a key.
    ///
    /// - Parameter pem: a private key in PKCS #8, PKCS #1 or SEC 1, without a password.
    /// - Throws: ``TrustError/Code/key``.
    public init(pem: String) throws { try self.init { try PrivateKey(pem: pem) } }

    /// Reads a key as a JSON Web Key with its private members.
    ///
    /// - Throws: ``TrustError/Code/malformed``, ``TrustError/Code/key``.
    public init(jwk: Data) throws {
        let members: JSONWebKey
        do { members = try JSONDecoder().decode(JSONWebKey.self, from: jwk) } catch {
            throw TrustError(.malformed, "the key is not a JSON Web Key")
        }
        try self.init { try members.privateKey() }
    }

    private init(_ read: () throws -> PrivateKey) throws {
        do { key = try read() } catch let error as CryptoError { throw TrustError(.key, error.description) }
        let publicKey = key.publicKey
        verificationKey = try VerificationKey { publicKey }
    }

    /// The private key as PEM. Keep it secret.
    ///
    /// - Throws: ``TrustError/Code/key`` if the system does not export it.
    public func pem() throws -> String {
        do { return try key.pem() } catch { throw TrustError(.key, "the key cannot be encoded") }
    }

    public func signature(of message: Data) throws -> Data {
        do { return try key.signature(of: message, algorithm: verificationKey.algorithm.signature) } catch {
            throw TrustError(.key, "the key cannot sign: \(error)")
        }
    }

    /// The algorithm and the id.
    public var description: String { verificationKey.description }
    /// Shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

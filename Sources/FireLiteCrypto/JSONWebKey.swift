import FireLiteCore
import Foundation

/// A key in JSON (RFC 7517), with the members of RSA and of the curves P-256 and P-384.
package struct JSONWebKey: Codable, Sendable {
    package var kty: String
    package var crv: String?
    package var x: String?
    package var y: String?
    package var n: String?
    package var e: String?
    package var d: String?
    package var p: String?
    package var q: String?
    package var dp: String?
    package var dq: String?
    package var qi: String?
    package var kid: String?
    package var alg: String?
    package var use: String?
    package var key_ops: [String]?

    /// Reads a JSON Web Key.
    ///
    /// - Throws: `CryptoError.invalidKey`.
    package init(json: Data) throws {
        do { self = try JSONDecoder().decode(JSONWebKey.self, from: json) } catch {
            throw CryptoError(.invalidKey, "the key is not a JSON Web Key")
        }
    }

    /// The public key.
    package init(_ key: PublicKey) throws { try self.init(key.key) }

    init(_ key: SystemPublicKey) throws {
        guard let content = KeyEncoding.content(ofPublicKeyInfo: key.der) else {
            throw CryptoError(.system, "the system encoded a public key in a form that cannot be read")
        }
        if let length = key.kind.coordinateByteCount {
            guard content.count == 1 + 2 * length, content.first == 4 else {
                throw CryptoError(.system, "the system encoded a point in a form that cannot be read")
            }
            kty = "EC"
            crv = key.kind.description
            x = Data(content.dropFirst().prefix(length)).base64URL
            y = Data(content.suffix(length)).base64URL
        } else {
            guard let parts = KeyEncoding.rsaParts(content) else {
                throw CryptoError(.system, "the system encoded an RSA key in a form that cannot be read")
            }
            kty = "RSA"
            n = parts.modulus.base64URL
            e = parts.exponent.base64URL
        }
    }

    /// The public key of these members.
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    package func publicKey() throws -> PublicKey {
        switch kty {
        case "RSA": try PublicKey(der: KeyEncoding.publicKeyInfo(modulus: value(n, "n"), exponent: value(e, "e")))
        case "EC":
            try PublicKey(der: KeyEncoding.publicKeyInfo(curve(), x: coordinate(x, "x"), y: coordinate(y, "y")))
        default: throw CryptoError(.unsuitableKey, "a JSON Web Key is of type RSA or EC")
        }
    }

    /// The private key of these members, in PKCS #8.
    ///
    /// - Throws: `CryptoError.invalidKey`, `unsuitableKey`.
    func privateKeyInfo() throws -> Data {
        switch kty {
        case "RSA":
            let numbers = try [(n, "n"), (e, "e"), (d, "d"), (p, "p"), (q, "q"), (dp, "dp"), (dq, "dq"), (qi, "qi")].map {
                DER.integer(try value($0.0, $0.1))
            }
            return KeyEncoding.privateKeyInfo(rsa: DER.value(DER.sequence, numbers.reduce(DER.integer(Data()), +)))
        case "EC":
            return KeyEncoding.privateKeyInfo(
                try curve(), scalar: try coordinate(d, "d"), x: try coordinate(x, "x"), y: try coordinate(y, "y"))
        default: throw CryptoError(.unsuitableKey, "a JSON Web Key is of type RSA or EC")
        }
    }

    private func curve() throws -> KeyKind {
        switch crv {
        case "P-256": .p256
        case "P-384": .p384
        default: throw CryptoError(.unsuitableKey, "a JSON Web Key of type EC is on P-256 or P-384")
        }
    }

    private func value(_ text: String?, _ name: String) throws -> Data {
        guard let text, let data = Data(base64URL: text), !data.isEmpty else {
            throw CryptoError(.invalidKey, "the JSON Web Key has no valid member \(name)")
        }
        return data
    }

    private func coordinate(_ text: String?, _ name: String) throws -> Data {
        let data = try value(text, name)
        guard data.count == (try curve().coordinateByteCount) else {
            throw CryptoError(.invalidKey, "the member \(name) of the JSON Web Key does not have the length of its curve")
        }
        return data
    }
}

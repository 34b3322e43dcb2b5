import FireLite
import FireLiteCore
import FireLiteCrypto
import Foundation

/// A JSON Web Signature (RFC 7515) with one signature: compact, detached, or in JSON.
///
/// Reading one does not verify it; call ``verify(with:)``.
public struct JWS: Sendable, Hashable {
    /// The text form of a signature.
    public enum Form: Sendable, Hashable {
        /// Header, payload and signature, joined by periods.
        case compact
        /// The compact form without the payload, which the reader gets separately (RFC 7515, appendix F).
        case detached
        /// The flattened JSON.
        case json
    }

    /// The algorithm that the header names.
    public let algorithm: SignatureAlgorithm
    /// The id of the key that the header names; nil if it names none.
    public let keyID: String?
    /// The type that the header names, such as `JWT`; nil if it names none.
    public let type: String?
    /// The signed payload.
    public let payload: Data
    /// The signature as in JOSE.
    public let signature: Data
    let protected: Data
    let header: JSONItem
    /// The header in its original text, which was signed.
    private let encodedHeader: String

    // MARK: - Signing

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: what is signed.
    ///   - key: the key; its thumbprint becomes `kid`.
    ///   - type: the media type for `typ`; nil for none.
    /// - Throws: ``TrustError/Code/key``.
    public init(signing payload: Data, with key: any IdentityKey, type: String? = nil) throws {
        try self.init(signing: payload, with: key, type: type, members: [])
    }

    init(signing payload: Data, with key: any IdentityKey, type: String?, keyID: String? = nil, members: [JSONItem.Member]) throws {
        let verification = key.publicKey
        header = Self.header(verification, type: type, keyID: keyID, members: members)
        protected = Data(header.json.utf8)
        encodedHeader = protected.base64URL
        self.payload = payload
        (algorithm, self.keyID, self.type) = (verification.algorithm, keyID ?? verification.id, type)
        signature = try key.signature(of: CompactSerialization.signingInput(header: protected, payload: payload))
    }

    /// The header of a key's signatures.
    static func header(_ key: PublicKey, type: String?, keyID: String? = nil, members: [JSONItem.Member] = []) -> JSONItem {
        let standard = JSONItem.object([
            "alg": .string(key.algorithm.rawValue), "kid": .string(keyID ?? key.id), "typ": type.map { .string($0) },
        ])
        return .object(standard.members + members)
    }

    /// The text of the signature.
    public func text(_ form: Form = .compact) -> String {
        switch form {
        case .compact: "\(encodedHeader).\(payload.base64URL).\(signature.base64URL)"
        case .detached: "\(encodedHeader)..\(signature.base64URL)"
        case .json:
            JSONItem.object([
                "payload": .string(payload.base64URL), "protected": .string(encodedHeader), "signature": .string(signature.base64URL),
            ]).json
        }
    }

    // MARK: - Reading

    /// Reads a signature in one of the forms.
    ///
    /// - Parameters:
    ///   - text: the signature.
    ///   - payload: the signed payload, for a detached signature.
    /// - Throws: ``TrustError/Code/malformed``; ``TrustError/Code/unsupported`` for the algorithm `none` and others that are not accepted,
    ///   and for critical members (`crit`, RFC 7797's `b64`).
    public init(_ text: String, payload: Data? = nil) throws {
        if text.first(where: { !$0.isWhitespace }) == "{" {
            try self.init(json: Data(text.utf8), payload: payload)
        } else {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3 else {
                throw TrustError(.malformed, "a compact JWS has three parts between periods, and this has \(parts.count)")
            }
            try self.init(header: String(parts[0]), payload: String(parts[1]), signature: String(parts[2]), detached: payload)
        }
    }

    private init(json: Data, payload: Data?) throws {
        let item = try JSONItem.read(json)
        let signatures = item["signatures"]?.items ?? []
        guard signatures.count <= 1 else { throw TrustError(.unsupported, "a JWS with several signatures is not read") }
        let place = signatures.first ?? item
        guard item["signatures"] == nil || signatures.count == 1 && item["signature"] == nil, let header = place["protected"]?.text,
            let signature = place["signature"]?.text, item["payload"] == nil || item["payload"]?.text != nil
        else { throw TrustError(.malformed, "a JWS in JSON has the members payload, protected and signature") }
        // Unsigned members cannot be relied on.
        for member in place["header"]?.members ?? [] where member.name != "kid" {
            throw TrustError(.unsupported, "the unprotected member '\(member.name)' of a JWS is not accepted")
        }
        try self.init(
            header: header, payload: item["payload"]?.text ?? "", signature: signature, detached: payload,
            unprotectedKeyID: place["header"]?["kid"]?.text)
    }

    private init(header encoded: String, payload: String, signature: String, detached: Data?, unprotectedKeyID: String? = nil) throws {
        guard let protected = Data(base64URL: encoded), let signature = Data(base64URL: signature) else {
            throw TrustError(.malformed, "the parts of a JWS are base64url without padding")
        }
        let header = try JSONItem.read(protected)
        guard header.isObject, let name = header["alg"]?.text else {
            throw TrustError(.malformed, "the header of a JWS is an object with the member alg")
        }
        guard let algorithm = SignatureAlgorithm(rawValue: name), algorithm != .rs256 else {
            throw TrustError(.unsupported, "the algorithm of the JWS is not accepted: ES256, ES384 and RS384 are")
        }
        guard header["crit"] == nil, header["b64"] == nil else {
            throw TrustError(.unsupported, "the header of the JWS has members that must be understood, and are not")
        }
        for name in ["kid", "typ"] where header[name] != nil && header[name]?.text == nil {
            throw TrustError(.malformed, "the member \(name) of the header is not a string")
        }
        if let detached {
            guard payload.isEmpty || payload == detached.base64URL else {
                throw TrustError(.invalidSignature, "the JWS has another payload than the given one")
            }
            self.payload = detached
        } else {
            guard let data = Data(base64URL: payload) else {
                throw TrustError(.malformed, "the parts of a JWS are base64url without padding")
            }
            self.payload = data
        }
        (self.header, self.protected, self.signature, self.algorithm) = (header, protected, signature, algorithm)
        encodedHeader = encoded
        keyID = header["kid"]?.text ?? unprotectedKeyID
        type = header["typ"]?.text
    }

    // MARK: - Verification

    /// Verifies the signature with a key. The key, not the header, determines the algorithm.
    ///
    /// - Throws: ``TrustError/Code/unsupported`` if the header names another algorithm than the key's;
    ///   ``TrustError/Code/invalidSignature``.
    public func verify(with key: PublicKey) throws {
        guard key.algorithm == algorithm else {
            throw TrustError(.unsupported, "the JWS is signed with \(algorithm.rawValue), and the key is for \(key.algorithm.rawValue)")
        }
        let input = Data("\(encodedHeader).\(payload.base64URL)".utf8)
        guard key.isValid(signature: signature, of: input) else {
            throw TrustError(.invalidSignature, "the signature does not fit the content and the key")
        }
    }
}

extension ReadTransaction {
    /// Verifies a signature with the key that it names, which must belong to an identity in the store.
    ///
    /// - Parameters:
    ///   - signature: the signature.
    ///   - moment: the time of the signature, if known. The key must be valid at that time.
    /// - Returns: the identity that signed.
    /// - Throws: ``TrustError/Code/unknown``, ``TrustError/Code/keyNotValid``, ``TrustError/Code/unsupported``,
    ///   ``TrustError/Code/invalidSignature``; `FHIRStoreError`.
    public func verify(_ signature: JWS, at moment: Date = FHIRClock.system.now()) throws -> Identity {
        guard let keyID = signature.keyID else { throw TrustError(.unknown, "the JWS names no key") }
        let (identity, key) = try key(keyID, at: moment)
        try signature.verify(with: key)
        return identity
    }
}

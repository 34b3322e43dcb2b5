import FireLite
import FireLiteR4
import FireLiteTrust
import Foundation

/// Tokens, signatures, keys, heads and proofs that strangers send: each is refused with an error of the module, or read; what was not signed is
/// not accepted, and what was signed is read back and refused once a bit of it is changed.
///
/// The first byte says as what the rest is taken.
enum TokenTarget {
    private static let audience = "https://example.org/token"
    private static let now = Date(timeIntervalSince1970: 1_750_000_000)

    private static let (store, signer): (FHIRStore, SigningIdentity) = {
        do {
            let store = try FHIRStore.inMemory(release: .r4)
            let signer = SigningIdentity(id: "app", key: try PrivateKey())
            try store.write { tx in
                try tx.setIdentity(Identity(id: "app", keys: [.init(signer.key.publicKey, from: .distantPast)]))
            }
            return (store, signer)
        } catch {
            fatalError("\(error)")
        }
    }()

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        guard let first = bytes.first else { return }
        let data = Data(bytes.dropFirst())
        let text = String(decoding: data, as: UTF8.self)
        switch first % 6 {
        case 0: try checkSignature(text)
        case 1: try checkClaims(data)
        case 2: try checkSigned(data, bit: Int(first))
        case 3: try checkHead(text)
        case 4: try checkProofs(data)
        default: try checkKey(data, text)
        }
    }

    /// A signature that nobody has made.
    private static func checkSignature(_ text: String) throws {
        let isAccepted =
            try value { try store.write { try $0.redeemToken(Secret(text), expecting: TokenExpectation(audience: audience), at: now) } }
            != nil
        require(!isAccepted, "a token that nobody has signed is accepted")
        guard let signature = try value({ try JWS(text) }) else { return }
        let again = try JWS(signature.text())
        require(again.payload == signature.payload && again.signature == signature.signature, "a signature reads differently")
        try require(value { try signature.verify(with: signer.key.publicKey) } == nil, "a signature that nobody has made is valid")
    }

    /// Claims as the party itself has signed them.
    private static func checkClaims(_ data: Data) throws {
        let token = try signer.sign(data, type: "JWT").text()
        do {
            try store.write { tx in
                let expectation = TokenExpectation(audience: audience)
                guard let claims = try value({ try tx.redeemToken(Secret(token), expecting: expectation, at: now) }) else { return }
                require(claims.issuer == "app" && claims.audience.contains(audience), "a token of or for another is accepted")
                require(claims.expires >= now.addingTimeInterval(-300), "an expired token is accepted")
                try require(
                    value { try tx.redeemToken(Secret(token), expecting: expectation, at: now) } == nil, "a token is accepted twice")
                // The next input may have the same id.
                throw CancellationError()
            }
        } catch is CancellationError {}
    }

    /// Any payload.
    private static func checkSigned(_ payload: Data, bit: Int) throws {
        let signature = try JWS(signing: payload, with: signer.key)
        for form in [JWS.Form.compact, .detached, .json] {
            let read = try JWS(signature.text(form), payload: form == .detached ? payload : nil)
            try read.verify(with: signer.key.publicKey)
            require(read.payload == payload, "a payload reads differently")
        }
        var changed = Array(signature.text().utf8)
        changed[payload.reduce(bit) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % changed.count] ^= 1 << UInt8(bit / 6 % 7)
        let text = String(decoding: changed, as: UTF8.self)
        try require(value { try JWS(text).verify(with: signer.key.publicKey) } == nil, "a changed signature is valid")
    }

    private static func checkHead(_ text: String) throws {
        guard let head = try value({ try AuditHead(token: text) }) else { return }
        require(head.token == text && head.root.count == 32 && head.number > 0 && head.size >= 0, "a head reads differently")
        _ = try value { try store.verifyAudit(from: head) }
    }

    private static func checkProofs(_ data: Data) throws {
        let keys = [signer.key.publicKey]
        if let proof = try value({ try AuditProof(json: data) }) {
            try require(value { try proof.verify(signedBy: keys) } == nil, "a proof that nobody has signed is valid")
        }
        if let proof = try value({ try AuditConsistencyProof(json: data) }) {
            try require(value { try proof.verify(signedBy: keys) } == nil, "a proof that nobody has signed is valid")
        }
    }

    private static func checkKey(_ data: Data, _ text: String) throws {
        for key in [try value { try PublicKey(jwk: data) }, try value { try PublicKey(pem: text) }] {
            guard let key else { continue }
            try require(PublicKey(jwk: key.jwk) == key && PublicKey(pem: key.pem) == key, "a key reads differently")
        }
    }

    /// What `body` gives; nil where it refuses the input. Any other error is a finding.
    private static func value<Value>(_ body: () throws -> Value) throws -> Value? {
        do { return try body() } catch is TrustError { return nil } catch is AuditError { return nil } catch is CryptoError {
            return nil
        }
    }
}

import Foundation

/// Signs heads.
struct AuditSigner: Sendable {
    /// Signs a payload and returns the JWS in compact form.
    let sign: @Sendable (Data) throws -> String

    /// Signs with a key. The header is the same for all heads, and is written once.
    init(_ key: any IdentityKey) {
        let header = Data(JWS.header(key.verificationKey, type: AuditSignature.type).json.utf8)
        let beginning = header.base64URL + "."
        sign = { payload in
            let input = beginning + payload.base64URL
            return try input + "." + key.signature(of: Data(input.utf8)).base64URL
        }
    }
}

import Foundation

/// Signs heads.
struct AuditSigner: Sendable {
    /// Signs a payload and returns the JWS in compact form.
    let sign: @Sendable (Data) throws -> String

    init(sign: @escaping @Sendable (Data) throws -> String) { self.sign = sign }
}

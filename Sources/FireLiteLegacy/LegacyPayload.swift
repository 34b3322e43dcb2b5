import FireLiteCrypto
import FireLiteTrust
import Foundation

/// A request to the former FhirBlocks service, as its apps signed it: fields between bars.
///
/// Nothing sends these requests any more. They serve to verify stored signatures, byte for byte.
public struct LegacyPayload: Sendable, Hashable {
    /// The bytes that are signed, as text.
    public let text: String

    private init(_ fields: [String]) throws {
        // The old form has no escapes.
        guard fields.allSatisfy({ !$0.contains("|") }) else {
            throw TrustError(.invalidArgument, "a field of an old payload contains no bar")
        }
        text = "|" + fields.joined(separator: "|") + "|"
    }

    private static let person = ["DateofBirth", "FirstName", "MiddleName", "LastName", "Gender"]

    /// The registration of a device.
    ///
    /// - Parameters:
    ///   - key: the device's key.
    ///   - deviceID: the device's id.
    ///   - date: the server's date, in its own notation.
    ///   - nonce: 32 digits.
    /// - Throws: `TrustError.Code.invalidArgument` for a field with a bar.
    public static func registration(of key: PublicKey, deviceID: String, date: String, nonce: String) throws -> LegacyPayload {
        let claims = "[" + person.map { "{\"key\": \"\($0)\", \"value\": \"\"}" }.joined(separator: ", ") + "]"
        return try LegacyPayload(["ecdsa", key.der.base64EncodedString(), deviceID, date, nonce, claims])
    }

    /// The request for an identity's public claims.
    ///
    /// - Parameters:
    ///   - id: the identity.
    ///   - date: the server's date.
    ///   - nonce: 32 digits.
    /// - Throws: `TrustError.Code.invalidArgument` for a field with a bar.
    public static func claims(of id: String, date: String, nonce: String) throws -> LegacyPayload { try LegacyPayload([id, date, nonce]) }

    /// A permission to read a patient's record.
    ///
    /// - Parameters:
    ///   - id: the identity that gives it.
    ///   - grantees: the identities that get it.
    ///   - start: the beginning of its period.
    ///   - end: the end of its period.
    ///   - confidentiality: the level.
    ///   - sensitivities: the codes of sensitivities.
    ///   - date: the server's date.
    ///   - nonce: 32 digits.
    /// - Throws: `TrustError.Code.invalidArgument` for a field with a bar.
    public static func permission(
        from id: String, to grantees: [String], start: String, end: String, confidentiality: String = "V",
        sensitivities: [String] = ["ETH", "SOC"], date: String, nonce: String
    ) throws -> LegacyPayload {
        try LegacyPayload([end, start] + grantees + ["patient", confidentiality] + sensitivities + ["Patient", id, date, nonce])
    }

    /// The request for the permissions granted by an identity.
    ///
    /// - Parameters:
    ///   - id: the identity.
    ///   - date: the server's date.
    ///   - nonce: 32 digits.
    /// - Throws: `TrustError.Code.invalidArgument` for a field with a bar.
    public static func permissionsGiven(by id: String, date: String, nonce: String) throws -> LegacyPayload {
        try LegacyPayload([id, date, nonce])
    }

    /// The request for the permissions granted to the signer.
    ///
    /// - Parameters:
    ///   - date: the server's date.
    ///   - nonce: 32 digits.
    /// - Throws: `TrustError.Code.invalidArgument` for a field with a bar.
    public static func permissionsGivenToMe(date: String, nonce: String) throws -> LegacyPayload { try LegacyPayload([date, nonce]) }

    /// The signature in the old form: DER in base64.
    ///
    /// - Parameter key: a key for ES256.
    /// - Throws: `TrustError.Code.key`.
    public func signature(with key: any IdentityKey) throws -> String {
        guard key.publicKey.algorithm == .es256 else { throw TrustError(.key, "the old payloads are signed with P-256") }
        return SignatureAlgorithm.derSignature(joined: try key.signature(of: Data(text.utf8))).base64EncodedString()
    }

    /// Whether a signature in the old form is valid.
    ///
    /// - Parameters:
    ///   - signature: DER in base64.
    ///   - key: the public key.
    public func isValid(signature: String, with key: PublicKey) -> Bool {
        Data(base64Encoded: signature).map { key.isValid(derSignature: $0, of: Data(text.utf8)) } ?? false
    }
}

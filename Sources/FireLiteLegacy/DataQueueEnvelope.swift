import FireLiteCore
import FireLiteCrypto
import FireLiteSync
import Foundation

/// The four members of the old DataQueue's envelopes.
private struct LegacyEnvelope: Codable {
    static let version = "1.0.2"

    let key_id: String?
    let symmetric_key: Data
    let message: Data
    let version: String?
}

extension EnvelopePolicy.Form {
    /// The four members of the old DataQueue, whose content is not authenticated.
    public static let legacyDataQueue = EnvelopePolicy.Form("legacyDataQueue", MediaType.json) { try $2.legacySeal($0) }
}

extension EnvelopeRecipient {
    /// Seals a message in the form of the old DataQueue, for servers that know no other.
    ///
    /// Its content is not authenticated: whoever can change messages on their way can change parts of it unnoticed. The key is fresh each
    /// time, which the old program's was not.
    /// - Throws: `EnvelopeError.Code.cannotSeal` if the system's cryptography fails.
    public func legacySeal(_ message: Data) throws -> Data {
        do {
            let contentKey = try SecretData.random(count: 32)
            let vector = Data(count: LegacyAESCBC.vectorByteCount)
            let envelope = LegacyEnvelope(
                key_id: keyID, symmetric_key: try contentKey.withBytes { try key.encrypt(Data($0), hash: .sha1) },
                message: try LegacyAESCBC.encrypt(message, key: contentKey, vector: vector), version: LegacyEnvelope.version)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(envelope)
        } catch { throw EnvelopeError(.cannotSeal, "the message cannot be sealed: \(error)") }
    }
}

extension EnvelopeRecipient {
    /// The id of the key that an envelope of the old DataQueue is for; nil if it names none, or is no such envelope.
    public static func legacyKeyID(of envelope: Data) -> String? {
        do { return try JSONDecoder().decode(LegacyEnvelope.self, from: envelope).key_id } catch { return nil }
    }
}

extension PrivateKey {
    /// Opens an envelope of the old DataQueue with this RSA key.
    ///
    /// - Returns: the message. Nothing shows whether it was changed.
    /// - Throws: `EnvelopeError.Code.invalidKey` for other keys than RSA; `EnvelopeError.Code.cannotOpen`, with the same text whatever the
    ///   reason.
    public func openLegacyEnvelope(_ envelope: Data) throws -> Data {
        try openingEnvelope {
            let old = try JSONDecoder().decode(LegacyEnvelope.self, from: envelope)
            let contentKey = try decrypt(old.symmetric_key, hash: .sha1)
            return try LegacyAESCBC.decrypt(old.message, key: contentKey, vector: Data(count: LegacyAESCBC.vectorByteCount))
        }
    }
}

import Foundation

/// A record in exchange form: content, keys and tags are encrypted. Codable as the JSON of the exchange.
public struct WireRecord: Codable, Sendable, Hashable {
    /// The model version that this library writes and reads.
    package static let currentModelVersion = 1

    /// The record's id.
    public var recordID: String
    /// The date of the resource, `yyyy-MM-dd`; nil if it has none.
    public var date: String?
    /// When the record was created, as a FHIR instant.
    package var createdAt: String?
    /// The tags, each encrypted or hashed, in base64.
    package var encryptedTags: [String]
    /// Nonce, ciphertext and tag of the resource's JSON, in base64.
    package var encryptedBody: String
    /// Nonce, ciphertext and tag of the key of the body, by the common key, in base64.
    package var encryptedKey: String
    /// The same for the key of attachments.
    package var attachmentKey: String?
    /// The model version of the body.
    package var modelVersion: Int
    /// The id of the common key.
    public var commonKeyID: String
    /// `active` or `deleted`.
    public var status: String

    private enum CodingKeys: String, CodingKey {
        case recordID = "record_id"
        case date, createdAt
        case encryptedTags = "encrypted_tags"
        case encryptedBody = "encrypted_body"
        case encryptedKey = "encrypted_key"
        case attachmentKey = "attachment_key"
        case modelVersion = "model_version"
        case commonKeyID = "common_key_id"
        case status
    }
}

/// A common key for distribution, wrapped for the public key of one receiver. Codable as the JSON of the exchange.
public struct WireKey: Codable, Sendable, Hashable {
    /// The id of the common key.
    public var commonKeyID: String
    /// The key, encrypted by RSA-OAEP with SHA-256, in base64.
    package var commonKey: String

    private enum CodingKeys: String, CodingKey {
        case commonKeyID = "common_key_id"
        case commonKey = "common_key"
    }
}

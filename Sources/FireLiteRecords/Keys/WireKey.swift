import Foundation

/// A common key in the form in which it is distributed: wrapped for the public key of one receiver. Codable as the JSON of the exchange.
public struct WireKey: Codable, Sendable, Hashable {
    /// The id of the common key.
    public var commonKeyID: String
    /// The key, encrypted by RSA-OAEP with SHA-256, in base64.
    public var commonKey: String

    private enum CodingKeys: String, CodingKey {
        case commonKeyID = "common_key_id"
        case commonKey = "common_key"
    }
}

import Foundation

/// A payload that a store keeps apart.
public struct StoredPayload: Sendable, Hashable {
    /// The SHA-256; of a sealed payload a keyed hash.
    public let hash: Data
    /// The number of bytes.
    public let byteCount: Int
    /// Whether it is sealed.
    public let isSealed: Bool
    /// When it was first stored.
    public let created: Date
    /// The number of resources that refer to it.
    public let resources: Int
    /// Whether an older version of a resource may refer to it.
    public let isInHistory: Bool
}

/// A missing or changed payload.
public struct PayloadFault: Sendable, Hashable, CustomStringConvertible {
    /// Its SHA-256.
    public let hash: Data
    /// What is wrong: `missing`, `missingKey` or `wrongHash`.
    public let code: AttachmentError.Code
    /// The resources that refer to it, as `Type/id`, without those that have no id.
    public let resources: [String]

    /// What is wrong, on one line.
    public var description: String {
        let what =
            switch code {
            case .missing: "it is missing, or a part of it"
            case .missingKey: "it is sealed, and the keyring with its key is not set"
            default: "its bytes do not match its hash"
            }
        return "\(hash.hexText): \(what)" + (resources.isEmpty ? "" : ", in \(resources.joined(separator: ", "))")
    }
}

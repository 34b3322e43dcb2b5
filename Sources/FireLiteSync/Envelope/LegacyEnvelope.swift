import Foundation

/// The four members of the old DataQueue's envelopes.
struct LegacyEnvelope: Codable {
    static let version = "1.0.2"

    let key_id: String?
    let symmetric_key: Data
    let message: Data
    let version: String?
}

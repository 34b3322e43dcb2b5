import Foundation

/// A record's key, sealed by a common key.
package struct WrappedKey: Sendable, Equatable {
    /// The id of the common key.
    package let commonID: String
    /// Nonce, ciphertext and tag.
    package let bytes: Data

    package init(commonID: String, bytes: Data) {
        self.commonID = commonID
        self.bytes = bytes
    }
}

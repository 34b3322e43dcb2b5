import Foundation

/// An error of a cryptographic operation. Descriptions contain neither keys nor messages.
package struct CryptoError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// A key or certificate cannot be read.
        case invalidKey
        /// The key's type, size or form does not suit the operation.
        case unsuitableKey
        /// An argument is invalid.
        case invalidArgument
        /// A ciphertext was changed, or encrypted with another key.
        case cannotDecrypt
        /// The system's library failed.
        case system
    }

    /// The kind of failure.
    package let code: Code
    /// What went wrong and what to do about it.
    package let description: String

    /// The description, so that `localizedDescription` is it too.
    package var errorDescription: String? { description }

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

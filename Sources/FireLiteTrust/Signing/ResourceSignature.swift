import Foundation

/// A signature of a resource's content, which the store keeps in a Provenance.
public struct ResourceSignature: Sendable, Hashable {
    /// The identity that signed.
    public let signer: String
    /// The id of the key.
    public let keyID: String
    /// When it was signed, as the signer says.
    public let moment: Date
    /// The id of the Provenance.
    public let provenanceID: String?
}

import FireLiteCrypto
import Foundation

/// Seals and opens the pieces of one payload with a key of its own, AES-256-GCM for each.
///
/// A common key seals the key and binds it to the payload's hash and size; each piece is bound to the payload, its position, and whether it
/// is the last. So pieces cannot be swapped, omitted or cut off.
struct PayloadSeal {
    /// The number of bytes that sealing adds to a piece.
    static let addedBytes = PayloadLayout.sealBytes

    /// The number of the payload.
    let blob: Int64
    private let key: SecretData

    /// Makes a new key.
    ///
    /// - Throws: `CryptoError`.
    init(blob: Int64) throws {
        self.blob = blob
        key = try SealedBytes.newKey()
    }

    /// Opens the key of a payload.
    ///
    /// - Throws: `RecordError.missingKey`; `failure` if it was changed.
    init(
        blob: Int64, _ wrapped: WrappedKey, hash: Data, byteCount: Int, keyring: RecordKeyring, failure: () -> any Error
    ) throws {
        self.blob = blob
        key = try keyring.unwrap(wrapped, context: Self.context(hash, byteCount), failure: failure)
    }

    /// The key, sealed.
    ///
    /// - Throws: `CryptoError`; `RecordError`.
    func wrapped(by keyring: RecordKeyring, hash: Data, byteCount: Int) throws -> WrappedKey {
        try keyring.wrap(key, context: Self.context(hash, byteCount))
    }

    /// Seals a piece.
    ///
    /// - Throws: `CryptoError`.
    func seal(_ piece: Data, _ place: Int64, isLast: Bool) throws -> Data {
        try SealedBytes.seal(piece, key: key, context: context(place, isLast))
    }

    /// Opens a piece.
    ///
    /// - Throws: `failure` if it was changed, or is another one.
    func open(_ sealed: Data, _ place: Int64, isLast: Bool, failure: () -> any Error) throws -> Data {
        try SealedBytes.open(sealed, key: key, context: context(place, isLast), failure: failure)
    }

    // The lines are those of `RecordVault`: form, part, domain, type, id, version.

    private func context(_ place: Int64, _ isLast: Bool) -> Data {
        Data("firelite/1\npiece\npayload\n\n\(blob)\n\(place) \(isLast ? "last" : "more")".utf8)
    }

    private static func context(_ hash: Data, _ byteCount: Int) -> Data {
        Data("firelite/1\nkey\npayload\n\n\(hash.hexText)\n\(byteCount)".utf8)
    }
}

import FireLite
import FireLiteCrypto
import Foundation

/// Seals cursors for those from whom something is hidden, as text that only this store can read: resource numbers in cursors would reveal hidden
/// resources.
package struct CursorSeal {
    private let context: Data

    /// - Parameter context: whose cursors they are; nobody else can use them.
    package init(_ context: String) { self.context = Data(context.utf8) }

    /// The sealed cursor.
    ///
    /// - Throws: errors of the system's cryptography.
    package func sealed(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor {
        let place = try JSONEncoder().encode(cursor)
        let nonce = try RandomBytes.make(AESGCM.nonceByteCount)
        let (ciphertext, tag) = try AESGCM.seal(place, key: Self.key(of: store), nonce: nonce, authenticating: context)
        return QueryCursor(sealed: (nonce + tag + ciphertext).base64EncodedString())
    }

    /// The cursor that was sealed.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for any other.
    package func opened(_ cursor: QueryCursor, in store: FHIRStore) throws -> QueryCursor {
        let bytes = cursor.sealed.flatMap { Data(base64Encoded: $0) } ?? Data()
        let (nonce, rest) = (Data(bytes.prefix(AESGCM.nonceByteCount)), bytes.dropFirst(AESGCM.nonceByteCount))
        do {
            let place = try AESGCM.open(
                Data(rest.dropFirst(AESGCM.tagByteCount)), tag: Data(rest.prefix(AESGCM.tagByteCount)), key: Self.key(of: store),
                nonce: nonce, authenticating: context)
            return try JSONDecoder().decode(QueryCursor.self, from: place)
        } catch is CryptoError {
            throw FHIRStoreError(.invalidArgument, "the cursor is not one of this restricted view: use the view that made it")
        } catch is DecodingError {
            throw FHIRStoreError(.invalidArgument, "the cursor is not one of this restricted view: use the view that made it")
        }
    }

    private static func key(of store: FHIRStore) throws -> SecretData {
        SecretData(HashAlgorithm.sha256.digest(of: Data("FireLite cursors of a restricted view".utf8) + Data(store.keySeed)))
    }
}

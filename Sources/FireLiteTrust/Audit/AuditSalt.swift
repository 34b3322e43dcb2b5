import FireLiteCore
import FireLiteCrypto
import Foundation

/// Random bytes for the rows of a trail, made for many rows at once.
///
/// Each row has two salts: one in its leaf, one in the hash of the resource's value, so that the row can be shown without the value.
struct AuditSalt: Sendable {
    /// The number of bytes of one salt.
    static let length = 16

    private var bytes: [UInt8] = []
    private var next = 0

    /// The next salt.
    ///
    /// - Throws: `CryptoError.system`.
    mutating func take() throws -> ArraySlice<UInt8> {
        if next == bytes.count {
            bytes = Array(try RandomBytes.make(256 * Self.length))
            next = 0
        }
        defer { next += Self.length }
        return bytes[next..<next + Self.length]
    }

    /// The salt in a row's leaf, of the random bytes in the row: those of the leaf, and those of the value if there is one.
    ///
    /// So the leaf covers the value's salt too, and whoever gets the leaf's salt cannot tell the value's.
    static func ofLeaf(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > length else { return bytes }
        return Array(bytes.withUnsafeBytes { HashAlgorithm.sha256.digest(of: $0) }.prefix(length))
    }

    /// The salted hash of a value.
    static func hash(_ salt: some Collection<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: salt.count + value.count) { memory in
            let start = memory.update(fromContentsOf: salt)
            _ = memory[start...].update(fromContentsOf: value)
            return HashAlgorithm.sha256.digest(of: UnsafeRawBufferPointer(memory))
        }
    }

    /// The salted hash of a resource's JSON.
    static func hash(_ salt: some Collection<UInt8>, _ resource: FHIRObject) -> [UInt8] {
        FHIRJSON.withUTF8(of: resource) { hash(salt, $0) }
    }
}

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

    /// Writes the next salt at the beginning of some memory.
    ///
    /// - Throws: `CryptoError.system`.
    mutating func take(into memory: UnsafeMutableRawBufferPointer) throws {
        if next == bytes.count {
            if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: 256 * Self.length) }
            next = bytes.count
            try bytes.withUnsafeMutableBytes { try RandomBytes.fill($0) }
            next = 0
        }
        bytes.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[next..<next + Self.length])) }
        next += Self.length
    }

    /// The salt in a row's leaf, of the random bytes in the row: those of the leaf, and those of the value if there is one.
    ///
    /// So the leaf covers the value's salt too, and whoever gets the leaf's salt cannot tell the value's.
    static func ofLeaf(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > length else { return bytes }
        return Array(bytes.withUnsafeBytes { HashAlgorithm.sha256.digest(of: $0) }.prefix(length))
    }

    /// The same, in memory for a hash, of which only the first bytes are the salt.
    static func makeLeafSalt(of bytes: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer, _ hasher: SHA256Hasher) {
        if let place = memory.baseAddress { hasher.digest(of: bytes, into: place) }
    }

    /// The salted hash of a value.
    static func hash(_ salt: some Collection<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: salt.count + value.count) { memory in
            let start = memory.update(fromContentsOf: salt)
            _ = memory[start...].update(fromContentsOf: value)
            return HashAlgorithm.sha256.digest(of: UnsafeRawBufferPointer(memory))
        }
    }

    /// A new salt, and the salted hash of a resource's JSON.
    ///
    /// - Throws: `CryptoError.system`.
    mutating func note(_ resource: FHIRObject, _ buffer: JSONBuffer, _ hasher: SHA256Hasher) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: Self.length + MerkleTree.hashLength) { memory, count in
            let memory = UnsafeMutableRawBufferPointer(memory)
            try take(into: memory)
            buffer.withUTF8(of: resource, after: UnsafeRawBufferPointer(rebasing: memory[..<Self.length])) { json in
                if let place = memory.baseAddress { hasher.digest(of: UnsafeRawBufferPointer(json), into: place + Self.length) }
            }
            count = memory.count
        }
    }
}

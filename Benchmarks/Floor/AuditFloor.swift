import FireLite
import FireLiteCore
import FireLiteCrypto
import FireLiteTrust
import Foundation

/// What an audit cannot do without, whatever its code is like: each resource as JSON, the hash of that, two hashes for the tree, the trail's rows by
/// way of SQLite's C API, and one signature for each commit.
final class AuditFloor {
    private let key: any IdentityKey
    /// As many bytes as a leaf, a node of the tree and a head have.
    private let leaf = [UInt8](repeating: 7, count: 160)
    private let node = [UInt8](repeating: 7, count: 65)
    private let head = Data(repeating: 7, count: 430)

    private let json = JSONBuffer()
    private let hasher = SHA256Hasher()
    private let place = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)

    init(_ key: any IdentityKey) {
        self.key = key
        place.initializeMemory(as: UInt8.self, repeating: 7, count: 32)
    }

    deinit { place.deallocate() }

    /// Writes a resource as JSON and hashes it.
    func hashValue(of resource: FHIRResource) {
        json.withUTF8(of: resource, after: UnsafeRawBufferPointer(start: place, count: 16)) {
            hasher.digest(of: UnsafeRawBufferPointer($0), into: place)
        }
    }

    /// Hashes the leaves of so many rows, and the nodes over them.
    func hashTree(rows: Int) {
        for _ in 0..<rows {
            leaf.withUnsafeBytes { hasher.digest(of: $0, into: place) }
            node.withUnsafeBytes { hasher.digest(of: $0, into: place) }
        }
    }

    func sign() throws { _ = try key.signature(of: head) }
}

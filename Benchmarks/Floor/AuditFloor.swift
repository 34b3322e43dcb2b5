import FireLite
import FireLiteCore
import FireLiteCrypto
import FireLiteTrust
import Foundation

/// What an audit cannot do without, whatever its code is like: each resource as JSON, the hash of that, two hashes for the tree, the trail's rows by
/// way of SQLite's C API, and one signature for each commit.
struct AuditFloor {
    private let key: any IdentityKey
    /// As many bytes as a leaf, a node of the tree and a head have.
    private let leaf = [UInt8](repeating: 7, count: 160)
    private let node = [UInt8](repeating: 7, count: 65)
    private let head = Data(repeating: 7, count: 430)

    init(_ key: any IdentityKey) { self.key = key }

    /// Writes a resource as JSON and hashes it.
    func hashValue(of resource: FHIRResource) {
        FHIRJSON.withUTF8(of: resource) { json in Self.use(HashAlgorithm.sha256.digest(of: UnsafeRawBufferPointer(json))) }
    }

    /// Hashes the leaves of so many rows, and the nodes over them.
    func hashTree(rows: Int) {
        for _ in 0..<rows {
            Self.use(leaf.withUnsafeBytes { HashAlgorithm.sha256.digest(of: $0) })
            Self.use(node.withUnsafeBytes { HashAlgorithm.sha256.digest(of: $0) })
        }
    }

    func sign() throws { Self.use(Array(try key.signature(of: head))) }

    @inline(never)
    private static func use(_ bytes: [UInt8]) {}
}

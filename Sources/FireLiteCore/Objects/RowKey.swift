/// The key of a row, `_k`: the number of its resource in the upper bits, and in the lower 24 the number of its node within it, 0 for the resource's own row.
/// Keys are never negative.
package enum RowKey {
    /// The number of bits of a node.
    package static let nodeBits: Int64 = 24
    /// The highest number of a node.
    package static let lastNode: Int64 = 1 << nodeBits - 1
    /// The highest number of a resource.
    package static let lastRoot = Int64.max >> nodeBits
    /// How many keys a resource has.
    package static let width: Int64 = 1 << nodeBits

    /// The key of a node of a resource.
    @inlinable @inline(__always)
    package static func key(_ root: Int64, _ node: Int64 = 0) -> Int64 { root << 24 | node }

    /// The last key that a resource can have.
    @inlinable @inline(__always)
    package static func last(_ root: Int64) -> Int64 { root << 24 | 0xFF_FFFF }

    /// All keys that a resource can have.
    @inlinable @inline(__always)
    package static func range(_ root: Int64) -> ClosedRange<Int64> { key(root)...last(root) }

    /// All keys that resources can have.
    @inlinable @inline(__always)
    package static func range(_ roots: ClosedRange<Int64>) -> ClosedRange<Int64> { key(roots.lowerBound)...last(roots.upperBound) }

    /// The number of a key's resource.
    @inlinable @inline(__always)
    package static func root(_ key: Int64) -> Int64 { key >> 24 }

    /// The number of a key's node.
    @inlinable @inline(__always)
    package static func node(_ key: Int64) -> UInt32 { UInt32(truncatingIfNeeded: key & 0xFF_FFFF) }

    // MARK: - SQL

    /// The SQL of the number of a key's resource.
    package static func root(ofSQL key: String) -> String { "\(key) >> \(nodeBits)" }

    /// The SQL of the key of a resource's own row.
    package static func key(ofSQL root: String) -> String { "\(root) << \(nodeBits)" }

    /// The SQL of the last key that a resource can have.
    package static func last(ofSQL root: String) -> String { "\(root) << \(nodeBits) | \(lastNode)" }
}

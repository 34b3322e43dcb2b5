import FireLiteCrypto

/// The state from which a Merkle tree grows: the roots of the perfect subtrees of its leaves, the largest first.
struct MerkleFrontier: Sendable, Equatable {
    /// The number of leaves.
    private(set) var size: Int64 = 0
    /// A root for each bit that is set in `size`, from the highest, one after another.
    private var bytes: [UInt8] = []

    /// A tree without leaves.
    init() {}

    /// The tree with a size.
    ///
    /// - Parameter perfect: returns the root of 2^level leaves that begin at `index` times as many. A value without the length of a hash
    ///   becomes zeros.
    init(size: Int64, _ perfect: (_ level: Int, _ index: Int64) throws -> [UInt8]) rethrows {
        self.size = size
        var start: Int64 = 0
        for level in stride(from: 62, through: 0, by: -1) where size & (1 << Int64(level)) != 0 {
            let root = try perfect(level, start >> Int64(level))
            bytes += root.count == MerkleTree.hashLength ? root : [UInt8](repeating: 0, count: MerkleTree.hashLength)
            start += 1 << Int64(level)
        }
    }

    /// Adds a leaf.
    ///
    /// - Parameters:
    ///   - leaf: its hash, 32 bytes.
    ///   - completed: called with each perfect subtree of more than one leaf that this completes, from the smallest.
    mutating func append(
        _ leaf: UnsafeRawBufferPointer, _ hasher: SHA256Hasher,
        completed: (_ level: Int, _ index: Int64, _ hash: UnsafeRawBufferPointer) -> Void = { _, _, _ in }
    ) {
        MerkleTree.withNode { node, left, right in
            right.copyMemory(from: leaf)
            var level = 0
            while size & (1 << Int64(level)) != 0 {
                bytes.withUnsafeBytes { left.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.suffix(MerkleTree.hashLength))) }
                bytes.removeLast(MerkleTree.hashLength)
                if let place = right.baseAddress { hasher.digest(of: node, into: place) }
                level += 1
                completed(level, size >> Int64(level), UnsafeRawBufferPointer(right))
            }
            bytes.append(contentsOf: right)
        }
        size += 1
    }

    /// The root of the tree.
    var root: [UInt8] {
        guard size > 0 else { return MerkleTree.emptyRoot }
        let starts = stride(from: 0, to: bytes.count, by: MerkleTree.hashLength)
        let roots = starts.map { Array(bytes[$0..<$0 + MerkleTree.hashLength]) }
        guard var root = roots.last else { return MerkleTree.emptyRoot }
        for left in roots.dropLast().reversed() { root = MerkleTree.nodeHash(left, root) }
        return root
    }
}

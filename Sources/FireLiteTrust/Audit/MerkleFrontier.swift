/// What a Merkle tree needs to grow: the roots of the perfect subtrees that its leaves make up, the largest first.
struct MerkleFrontier: Sendable, Equatable {
    /// The number of leaves.
    private(set) var size: Int64 = 0
    /// A root for each bit that is set in `size`, from the highest.
    private(set) var roots: [[UInt8]] = []

    /// A tree without leaves.
    init() {}

    /// The tree with a size.
    ///
    /// - Parameter perfect: returns the root of 2^level leaves that begin at `index` times as many.
    init(size: Int64, _ perfect: (_ level: Int, _ index: Int64) throws -> [UInt8]) rethrows {
        self.size = size
        var start: Int64 = 0
        for level in stride(from: 62, through: 0, by: -1) where size & (1 << Int64(level)) != 0 {
            roots.append(try perfect(level, start >> Int64(level)))
            start += 1 << Int64(level)
        }
    }

    /// Adds a leaf.
    ///
    /// - Parameter completed: called with each perfect subtree of more than one leaf that this completes, from the smallest.
    mutating func append(_ leaf: [UInt8], completed: (_ level: Int, _ index: Int64, _ hash: [UInt8]) -> Void = { _, _, _ in }) {
        var hash = leaf
        var level = 0
        while size & (1 << Int64(level)) != 0 {
            hash = MerkleTree.nodeHash(roots.removeLast(), hash)
            level += 1
            completed(level, size >> Int64(level), hash)
        }
        roots.append(hash)
        size += 1
    }

    /// The root of the tree.
    var root: [UInt8] {
        guard var root = roots.last else { return MerkleTree.emptyRoot }
        for left in roots.dropLast().reversed() { root = MerkleTree.nodeHash(left, root) }
        return root
    }
}

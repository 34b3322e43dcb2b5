import FireLiteCrypto

/// The hashes and proofs of a Merkle tree (RFC 6962, section 2.1), which is over leaves in their order.
///
/// Proofs are verified as RFC 9162 (section 2.1) writes it down. No value makes the functions trap: proofs come from strangers.
enum MerkleTree {
    /// The number of bytes of a hash, SHA-256.
    static let hashLength = 32

    /// The root of a tree without leaves.
    static let emptyRoot = [].withUnsafeBytes { HashAlgorithm.sha256.digest(of: $0) }

    /// The byte before a leaf's content when it is hashed.
    static let leafPrefix: UInt8 = 0

    /// The hash of a leaf with this content.
    static func leafHash(_ content: [UInt8]) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: content.count + 1) { memory in
            memory[0] = leafPrefix
            _ = UnsafeMutableBufferPointer(rebasing: memory[1...]).update(from: content)
            return HashAlgorithm.sha256.digest(of: UnsafeRawBufferPointer(memory))
        }
    }

    /// The hash of a node over two others.
    static func nodeHash(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: left.count + right.count + 1) { memory in
            memory[0] = nodePrefix
            _ = UnsafeMutableBufferPointer(rebasing: memory[1...]).update(from: left)
            _ = UnsafeMutableBufferPointer(rebasing: memory[(1 + left.count)...]).update(from: right)
            return HashAlgorithm.sha256.digest(of: UnsafeRawBufferPointer(memory))
        }
    }

    /// The byte before two hashes when they are hashed.
    private static let nodePrefix: UInt8 = 1

    /// Calls `body` with memory for a node's hash input, and the positions of the two hashes in it.
    static func withNode(
        _ body: (_ node: UnsafeRawBufferPointer, _ left: UnsafeMutableRawBufferPointer, _ right: UnsafeMutableRawBufferPointer) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: 1 + 2 * hashLength, alignment: 1) { memory in
            memory[0] = nodePrefix
            body(
                UnsafeRawBufferPointer(memory), UnsafeMutableRawBufferPointer(rebasing: memory[1...hashLength]),
                UnsafeMutableRawBufferPointer(rebasing: memory[(1 + hashLength)...]))
        }
    }

    /// The largest power of two below a number above one: where a tree of that size is split.
    static func split(_ size: Int64) -> Int64 { 1 << Int64(63 - (size - 1).leadingZeroBitCount) }

    // MARK: - Verifying

    /// Whether a leaf is at an index, from 0, of the tree with a size and root.
    static func includes(leaf: [UInt8], at index: Int64, size: Int64, root: [UInt8], proof: [[UInt8]]) -> Bool {
        guard index >= 0, index < size, areHashes([leaf, root] + proof) else { return false }
        var (node, last) = (index, size - 1)
        var hash = leaf
        for step in proof {
            guard last != 0 else { return false }
            if node & 1 == 1 || node == last {
                hash = nodeHash(step, hash)
                while node & 1 == 0, node != 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                hash = nodeHash(hash, step)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 && hash == root
    }

    /// Whether the tree with the second size and root begins with the leaves of the one with the first.
    static func isConsistent(first: Int64, firstRoot: [UInt8], second: Int64, secondRoot: [UInt8], proof: [[UInt8]]) -> Bool {
        // An empty tree proves nothing.
        guard first > 0 else { return false }
        return isConsistent(start: 0, end: first, subtreeRoot: firstRoot, size: second, root: secondRoot, proof: proof)
    }

    /// Whether a leaf is at an index of a tree, within the subtree over the leaves from `start` up to `end` that has a root.
    static func includes(leaf: [UInt8], at index: Int64, start: Int64, end: Int64, root: [UInt8], proof: [[UInt8]]) -> Bool {
        guard isSubtree(start, end), index >= start else { return false }
        return includes(leaf: leaf, at: index - start, size: end - start, root: root, proof: proof)
    }

    /// Whether the tree with a size and root has the subtree over the leaves from `start` up to `end` with its root.
    static func isConsistent(start: Int64, end: Int64, subtreeRoot: [UInt8], size: Int64, root: [UInt8], proof: [[UInt8]]) -> Bool {
        guard start >= 0, start <= end, end <= size else { return false }
        // Every tree has the empty subtree.
        if start == end { return proof.isEmpty && subtreeRoot == emptyRoot }
        if start == 0, end == size { return proof.isEmpty && subtreeRoot == root }
        guard isSubtree(start, end), areHashes([subtreeRoot, root] + proof) else { return false }
        var (first, last, whole) = (start, end - 1, size - 1)
        // Up to the largest node that both have: the whole subtree, or the end of it.
        while first != last, last == whole || last & 1 == 1 { (first, last, whole) = (first >> 1, last >> 1, whole >> 1) }
        var steps = proof[...]
        guard let beginning = first == last ? subtreeRoot : steps.popFirst() else { return false }
        var (old, new) = (beginning, beginning)
        for step in steps {
            guard whole != 0 else { return false }
            if last & 1 == 1 || last == whole {
                if first < last { old = nodeHash(step, old) }
                new = nodeHash(step, new)
                while last & 1 == 0, last != 0 { (first, last, whole) = (first >> 1, last >> 1, whole >> 1) }
            } else {
                new = nodeHash(new, step)
            }
            (first, last, whole) = (first >> 1, last >> 1, whole >> 1)
        }
        return whole == 0 && old == subtreeRoot && new == root
    }

    /// Whether a range of leaves is one that trees are made of: it begins at a multiple of the power of two that holds it.
    private static func isSubtree(_ start: Int64, _ end: Int64) -> Bool {
        guard start >= 0, start < end else { return false }
        let width = end - start
        guard width > 1 else { return true }
        let power = 64 - (width - 1).leadingZeroBitCount
        return power < 63 ? start & (1 << Int64(power) - 1) == 0 : start == 0
    }

    private static func areHashes(_ values: [[UInt8]]) -> Bool { values.allSatisfy { $0.count == hashLength } }

    // MARK: - Proving

    /// The root of the leaves from `start` up to `end`.
    ///
    /// - Parameter perfect: returns the root of 2^level leaves that begin at `index` times as many.
    static func root(
        _ start: Int64, _ end: Int64, _ perfect: (_ level: Int, _ index: Int64) throws -> [UInt8]
    ) rethrows -> [UInt8] {
        let width = end - start
        guard width > 0 else { return emptyRoot }
        if width & (width - 1) == 0, start & (width - 1) == 0 {
            let level = width.trailingZeroBitCount
            return try perfect(level, start >> Int64(level))
        }
        let middle = start + split(width)
        return try nodeHash(root(start, middle, perfect), root(middle, end, perfect))
    }

    /// The proof that a leaf is in the tree with a size (`PATH` in RFC 6962).
    static func inclusionProof(
        of index: Int64, size: Int64, _ perfect: (_ level: Int, _ index: Int64) throws -> [UInt8]
    ) rethrows -> [[UInt8]] {
        var (start, end) = (0 as Int64, size)
        var steps: [[UInt8]] = []
        while end - start > 1 {
            let middle = start + split(end - start)
            if index < middle {
                steps.append(try root(middle, end, perfect))
                end = middle
            } else {
                steps.append(try root(start, middle, perfect))
                start = middle
            }
        }
        return steps.reversed()
    }

    /// The proof that a tree begins with the leaves of an earlier one (`PROOF` in RFC 6962).
    static func consistencyProof(
        first: Int64, second: Int64, _ perfect: (_ level: Int, _ index: Int64) throws -> [UInt8]
    ) rethrows -> [[UInt8]] {
        guard first > 0, first < second else { return [] }
        var (start, end) = (0 as Int64, second)
        var steps: [[UInt8]] = []
        while first != end {
            let middle = start + split(end - start)
            if first <= middle {
                steps.append(try root(middle, end, perfect))
                end = middle
            } else {
                steps.append(try root(start, middle, perfect))
                start = middle
            }
        }
        // The verifier knows the first root; a part of it must be given.
        if start > 0 { steps.append(try root(start, end, perfect)) }
        return steps.reversed()
    }
}

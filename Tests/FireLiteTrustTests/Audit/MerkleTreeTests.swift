import FireLiteCrypto
import Foundation
import TestSupport
import Testing

@testable import FireLiteTrust

@Suite struct MerkleTreeTests {
    /// The leaves of the trees that RFC 6962's own implementations test with, and the roots of the first n of them.
    private static let leaves = [
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    ].map(bytes)
    private static let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ].map(bytes)

    private static func bytes(_ hex: String) -> [UInt8] {
        var rest = hex[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func subtree(_ hashes: [[UInt8]]) -> (Int, Int64) -> [UInt8] {
        { level, index in
            let width = 1 << level
            let start = Int(index) * width
            if width == 1 { return hashes[start] }
            let half = subtree(hashes)
            return MerkleTree.nodeHash(half(level - 1, index * 2), half(level - 1, index * 2 + 1))
        }
    }

    @Test func rootsAreThoseOfTheKnownTrees() {
        let hashes = Self.leaves.map { MerkleTree.leafHash($0) }
        var frontier = MerkleFrontier()
        let hasher = SHA256Hasher()
        #expect(frontier.root == Self.roots[0])
        for (count, hash) in hashes.enumerated() {
            hash.withUnsafeBytes { frontier.append($0, hasher) }
            #expect(frontier.root == Self.roots[count + 1])
            #expect(MerkleTree.root(0, Int64(count + 1), Self.subtree(hashes)) == Self.roots[count + 1])
            #expect(MerkleFrontier(size: Int64(count + 1), Self.subtree(hashes)) == frontier)
        }
    }

    @Test func proofsOfEveryTreeAreAcceptedAndFitNoOtherPlace() {
        let hashes = (0..<40).map { MerkleTree.leafHash([UInt8($0)]) }
        let subtree = Self.subtree(hashes)
        let roots = (0...40).map { MerkleTree.root(0, Int64($0), subtree) }
        for size in 1...40 as ClosedRange<Int64> {
            for index in 0..<size {
                let proof = MerkleTree.inclusionProof(of: index, size: size, subtree)
                let leaf = hashes[Int(index)]
                #expect(MerkleTree.includes(leaf: leaf, at: index, size: size, root: roots[Int(size)], proof: proof))
                for other in 0..<size where other != index {
                    #expect(!MerkleTree.includes(leaf: leaf, at: other, size: size, root: roots[Int(size)], proof: proof))
                }
                #expect(!MerkleTree.includes(leaf: leaf, at: index, size: size, root: roots[Int(size) - 1], proof: proof))
                #expect(!MerkleTree.includes(leaf: leaf, at: index, size: size, root: roots[Int(size)], proof: proof + [leaf]))
                #expect(
                    proof.isEmpty
                        || !MerkleTree.includes(
                            leaf: leaf, at: index, size: size, root: roots[Int(size)], proof: Array(proof.dropLast()))
                )
            }
            for first in 0...size {
                let proof = MerkleTree.consistencyProof(first: first, second: size, subtree)
                func isConsistent(_ one: Int64, _ oneRoot: Int64) -> Bool {
                    MerkleTree.isConsistent(
                        first: one, firstRoot: roots[Int(oneRoot)], second: size, secondRoot: roots[Int(size)], proof: proof)
                }
                #expect(isConsistent(first, first) == (first > 0))
                if first > 0 {
                    #expect(!isConsistent(first, first - 1))
                    #expect(first == size || !isConsistent(first + 1, first + 1) || proof.isEmpty)
                }
            }
        }
    }

    @Test func extremeNumbersAreRefusedWithoutTraps() {
        let hash = MerkleTree.leafHash([1])
        let many = Array(repeating: hash, count: 200)
        for size in [Int64.min, -1, 0, 1, Int64.max - 1, Int64.max] {
            for index in [Int64.min, -1, 1, 2, Int64.max - 1] where index != size {
                #expect(!MerkleTree.includes(leaf: hash, at: index, size: size, root: hash, proof: many))
                #expect(!MerkleTree.isConsistent(first: index, firstRoot: hash, second: size, secondRoot: hash, proof: many))
                #expect(!MerkleTree.isConsistent(start: index, end: size, subtreeRoot: hash, size: .max, root: hash, proof: many))
            }
        }
    }

    // MARK: - Vectors

    private struct Vector: Decodable {
        var leafIdx: UInt64?
        var treeSize: UInt64?
        var root: Data?
        var leafHash: Data?
        var start: UInt64?
        var end: UInt64?
        var size: UInt64?
        var size1: UInt64?
        var size2: UInt64?
        var root1: Data?
        var root2: Data?
        var proof: [Data]?
        var desc: String
        var wantErr: Bool
    }

    @Test(
        .enabled(if: SharedArchive.suites != nil, "the archive suites.tar.xz is not beside the package, in ../shared/data"),
        arguments: ["inclusion", "consistency", "subtreeinclusion", "subtreeconsistency"])
    func theVectorsAreAcceptedAndRefused(_ kind: String) throws {
        let temporary = try TemporaryFolder()
        try SharedArchive.suites?.unpack(into: temporary.path)
        let folder = "\(temporary.path)/merkle/\(kind)"
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        var counts = (right: 0, wrong: 0)
        for file in files where file.hasSuffix(".json") {
            let vector = try JSONDecoder().decode(Vector.self, from: Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
            #expect(Self.isAccepted(vector, kind) == !vector.wantErr, "\(kind)/\(file): \(vector.desc)")
            if vector.wantErr { counts.wrong += 1 } else { counts.right += 1 }
        }
        #expect(counts.right > 4 && counts.wrong > 80, "\(counts)")
    }

    private static func isAccepted(_ vector: Vector, _ kind: String) -> Bool {
        func number(_ value: UInt64?) -> Int64 { Int64(exactly: value ?? 0) ?? -1 }
        func hash(_ value: Data?) -> [UInt8] { Array(value ?? Data()) }
        let proof = (vector.proof ?? []).map { Array($0) }
        return switch kind {
        case "inclusion":
            MerkleTree.includes(
                leaf: hash(vector.leafHash), at: number(vector.leafIdx), size: number(vector.treeSize), root: hash(vector.root),
                proof: proof)
        case "consistency":
            MerkleTree.isConsistent(
                first: number(vector.size1), firstRoot: hash(vector.root1), second: number(vector.size2), secondRoot: hash(vector.root2),
                proof: proof)
        case "subtreeinclusion":
            MerkleTree.includes(
                leaf: hash(vector.leafHash), at: number(vector.leafIdx), start: number(vector.start), end: number(vector.end),
                root: hash(vector.root), proof: proof)
        default:
            MerkleTree.isConsistent(
                start: number(vector.start), end: number(vector.end), subtreeRoot: hash(vector.root1), size: number(vector.size),
                root: hash(vector.root2), proof: proof)
        }
    }
}

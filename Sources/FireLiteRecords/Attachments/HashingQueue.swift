import FireLiteCrypto
import Foundation

/// Hashes pieces of a payload on another thread, while the next ones are read.
///
/// `@unchecked Sendable`: `queue` does everything with the digest, one after the other.
final class HashingQueue: @unchecked Sendable {
    private let queue = DispatchQueue(label: "firelite.payloads.hash")
    private let digest = RunningDigest()

    /// Adds bytes, which must not change until `wait` or `finish` returns.
    func add(_ piece: UnsafeRawBufferPointer) {
        let memory = Piece(bytes: piece)
        queue.async { self.digest.update(memory.bytes) }
    }

    /// Returns when all pieces so far are hashed.
    func wait() { queue.sync {} }

    /// The SHA-256 of all pieces.
    func finish() -> Data { queue.sync { digest.finish() } }

    /// Memory that the caller keeps.
    ///
    /// `@unchecked Sendable`: nobody writes to it until the queue is done.
    private struct Piece: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
    }
}

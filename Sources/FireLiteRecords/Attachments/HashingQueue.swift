import FireLiteCrypto
import Foundation

/// Hashes pieces of a payload on another thread, while the next ones are read.
///
/// `@unchecked Sendable`: `queue` does everything with the digest, one after the other.
final class HashingQueue: @unchecked Sendable {
    private let queue = DispatchQueue(label: "firelite.payloads.hash")
    private let digest = RunningDigest()

    func add(_ piece: [UInt8]) { queue.async { self.digest.update(piece) } }

    /// The SHA-256 of all pieces.
    func finish() -> Data { queue.sync { digest.finish() } }
}

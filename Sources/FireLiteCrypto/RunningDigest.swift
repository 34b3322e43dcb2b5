import Foundation

/// The SHA-256 of bytes that come in pieces.
package final class RunningDigest {
    private var state: SystemCryptography.RunningSHA256

    package init() { state = SystemCryptography.RunningSHA256() }

    /// Adds bytes.
    package func update(_ bytes: some ContiguousBytes) { bytes.withUnsafeBytes { state.update($0) } }

    /// The digest of all bytes. Nothing can be added afterwards.
    package func finish() -> Data { state.finish() }
}

/// SHA-256 of one short message after another, with the memory of the first.
///
/// It must not be used by two threads at once.
package final class SHA256Hasher {
    private let state = SystemCryptography.RepeatedSHA256()

    package init() {}

    /// Writes the 32 bytes of a message's digest, which may overwrite the message.
    package func digest(of message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawPointer) { state.digest(message, into: digest) }
}

import Foundation

/// Bytes of a key, with a single copy in memory that is overwritten before it is freed.
///
/// `@unchecked Sendable`: the memory is written only by the initializers, and by `deinit`.
package final class SecretData: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    private let memory: UnsafeMutableRawBufferPointer

    /// Copies the bytes. The caller's copy stays as it is.
    package init(_ bytes: some Collection<UInt8>) {
        memory = .allocate(byteCount: max(bytes.count, 1), alignment: 16)
        count = bytes.count
        memory.copyBytes(from: bytes)
    }

    /// Lets the body write the bytes, which are zero before.
    package init(count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        memory = .allocate(byteCount: max(count, 1), alignment: 16)
        self.count = count
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        try body(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
    }

    deinit {
        SystemCryptography.wipe(memory)
        memory.deallocate()
    }

    /// Random bytes from the system's generator.
    ///
    /// - Throws: `CryptoError.system`.
    package static func random(count: Int) throws -> SecretData { try SecretData(count: count, SystemCryptography.fillRandomly) }

    /// The number of bytes.
    package let count: Int

    /// Calls the body with the bytes, which are valid only during the call.
    package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    package var description: String { "secret of \(count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Comparisons that take the same time wherever the values differ.
package enum ConstantTime {
    /// Whether two values have the same bytes. Only their lengths may be found out by the time it takes.
    package static func areEqual(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in right.withUnsafeBytes { SystemCryptography.areEqual(left, $0) } }
    }
}

/// Random bytes that may become public: nonces, states, identifiers.
package enum RandomBytes {
    /// Bytes from the system's generator.
    ///
    /// - Throws: `CryptoError.system`.
    package static func make(_ count: Int) throws -> Data { try SecretData.random(count: count).withBytes { Data($0) } }

    /// Fills memory with bytes from the system's generator.
    ///
    /// - Throws: `CryptoError.system`.
    package static func fill(_ memory: UnsafeMutableRawBufferPointer) throws { try SystemCryptography.fillRandomly(memory) }
}

import Foundation

/// Bytes of a secret, with a single copy in memory that is overwritten before it is freed.
///
/// `@unchecked Sendable`: the memory is written only by the initializers, and by `deinit`.
package final class SecretData: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    private let memory: UnsafeMutableRawBufferPointer

    /// Copies the bytes. The caller's copy stays as it is.
    package convenience init(_ bytes: some Sequence<UInt8>) {
        let copied = bytes.withContiguousStorageIfAvailable { source in
            Self.allocated(source.count) { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
        }
        let (memory, count) = copied ?? Self.collected(bytes)
        self.init(owning: memory, count: count)
    }

    private init(owning memory: UnsafeMutableRawBufferPointer, count: Int) {
        self.memory = memory
        self.count = count
    }

    private static func allocated(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) -> (UnsafeMutableRawBufferPointer, Int) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        body(memory)
        return (memory, count)
    }

    /// The bytes of a sequence that does not say how many there are. Memory that becomes too small is overwritten.
    private static func collected(_ bytes: some Sequence<UInt8>) -> (UnsafeMutableRawBufferPointer, Int) {
        var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.underestimatedCount, 64), alignment: 16)
        var count = 0
        for byte in bytes {
            if count == memory.count {
                let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count * 2, alignment: 16)
                larger.copyMemory(from: UnsafeRawBufferPointer(memory))
                wipe(memory)
                memory.deallocate()
                memory = larger
            }
            memory[count] = byte
            count += 1
        }
        return (memory, count)
    }

    /// Lets the body write the bytes, which are zero before.
    package init(count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        memory = .allocate(byteCount: max(count, 1), alignment: 16)
        self.count = count
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        try body(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
    }

    deinit {
        Self.wipe(memory)
        memory.deallocate()
    }

    /// The number of bytes.
    package let count: Int

    /// Calls the body with the bytes, which are valid only during the call.
    package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    /// Whether two secrets have the same bytes. Only their lengths may be found out by the time it takes.
    package func isEqual(to other: SecretData) -> Bool {
        withBytes { left in
            other.withBytes { right in
                left.count == right.count && zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }

    /// Overwrites memory that held a secret. The compiler cannot optimize this away, as it can other writes to memory that is freed next.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress, memory.count > 0 else { return }
        #if canImport(Darwin)
            memset_s(base, memory.count, 0, memory.count)
        #else
            explicit_bzero(base, memory.count)
        #endif
    }

    package var description: String { "secret of \(count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

import FireLiteSQLiteBridge

/// Bytes with a single copy in memory, which is overwritten before it is freed.
///
/// `@unchecked Sendable`: the memory is written only by the initializer, and by `deinit`.
final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private let count: Int

    init(_ bytes: some Sequence<UInt8>) {
        var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.underestimatedCount, 64), alignment: 1)
        var count = 0
        for byte in bytes {
            if count == memory.count {
                let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count * 2, alignment: 1)
                larger.copyMemory(from: UnsafeRawBufferPointer(memory))
                FireLiteSQLiteBridge.wipe(memory)
                memory.deallocate()
                memory = larger
            }
            memory[count] = byte
            count += 1
        }
        self.memory = memory
        self.count = count
    }

    deinit {
        FireLiteSQLiteBridge.wipe(memory)
        memory.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
}

/// Overwrites memory that held a secret.
package func wipe(_ memory: UnsafeMutableRawBufferPointer) { FireLiteSQLiteBridge.wipe(memory) }

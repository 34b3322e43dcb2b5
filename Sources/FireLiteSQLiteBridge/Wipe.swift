import Foundation

/// Overwrites memory that held a secret. The compiler cannot optimise this away, as it can other writes to memory that is freed next.
public func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress, memory.count > 0 else { return }
    #if canImport(Darwin)
        memset_s(base, memory.count, 0, memory.count)
    #else
        explicit_bzero(base, memory.count)
    #endif
}

import Foundation

// `allocate(capacity:)` asks for aligned memory, which glibc serves without the free lists that make `malloc` fast:
// that was a tenth of a scan. Memory from `malloc` is aligned for every word.

extension UnsafeMutablePointer where Pointee == ElementSlot {
    /// Uninitialised memory for that many slots.
    @inline(__always)
    static func slotMemory(_ capacity: Int) -> Self {
        guard let memory = malloc(capacity * MemoryLayout<ElementSlot>.stride) else {
            fatalError("out of memory for an object's values")
        }
        return memory.assumingMemoryBound(to: ElementSlot.self)
    }

    /// Frees memory from `slotMemory(_:)`, which must be uninitialised.
    @inline(__always)
    func freeSlotMemory() { free(self) }
}

import Foundation

// `allocate(capacity:)` asks for aligned memory, and glibc serves that without the short lists of blocks that make `malloc` quick:
// it was a tenth of a scan. What `malloc` gives is aligned for every word.

extension UnsafeMutablePointer where Pointee == ElementSlot {
    /// Uninitialised memory for that many slots.
    @inline(__always)
    static func slotMemory(_ capacity: Int) -> Self {
        guard let memory = malloc(capacity * MemoryLayout<ElementSlot>.stride) else {
            fatalError("there is no memory left for an object's values")
        }
        return memory.assumingMemoryBound(to: ElementSlot.self)
    }

    /// Gives back what `slotMemory(_:)` gave, uninitialised.
    @inline(__always)
    func freeSlotMemory() { free(self) }
}

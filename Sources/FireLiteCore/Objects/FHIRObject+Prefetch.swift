import CFireLitePrefetch

// The objects of a large upsert are scattered over memory, and waiting for them one after the other was half of the time of an unchanged
// upsert. So each is prefetched shortly before it is read.

extension FHIRObject {
    /// Loads the beginning of the object, which will be read soon, into the processor's cache.
    package final func prefetch() { Unmanaged.passUnretained(self).prefetch() }

    /// The same for the objects that are values of this one.
    package final func prefetchValues() {
        guard let slots else { return }
        for place in slots..<slots + Int(slotCount) {
            switch place.pointee.value {
            case .object, .objects: place.object.prefetch()
            default: break
            }
        }
    }
}

extension Unmanaged where Instance == FHIRObject {
    /// Also works for the memory of a list.
    @inline(__always)
    func prefetch() { firelite_prefetch(toOpaque()) }
}

extension UnsafeBufferPointer<String> {
    /// Loads the texts at these positions, which will be read soon, into the processor's cache.
    package func prefetchTexts(_ positions: Range<Int>) {
        // A long text's storage is the second of its two words, below some flags; a short one is in the words themselves. Should that change,
        // nothing is loaded that is of use.
        guard MemoryLayout<String>.size == 2 * MemoryLayout<UInt64>.size, let base = baseAddress else { return }
        for position in positions {
            let word = UnsafeRawPointer(base + position).load(fromByteOffset: MemoryLayout<UInt64>.size, as: UInt64.self)
            guard word & Self.isShort == 0 else { continue }
            firelite_prefetch(UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: word & Self.address)))
        }
    }

    private static var isShort: UInt64 { 1 << 61 }
    private static var address: UInt64 { 1 << 56 - 1 }
}

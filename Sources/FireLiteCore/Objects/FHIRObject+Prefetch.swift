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

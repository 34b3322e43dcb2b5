import CFireLitePrefetch

// Objects of a large upsert lie all over memory, and waiting for them one after the other was half of the time for what is stored
// already. Each is asked for a little before it is read.

extension FHIRObject {
    /// Has the processor load the beginning of the object, which will soon be read, into its cache.
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
    /// Also good for what is no object but the memory of a list.
    @inline(__always)
    func prefetch() { firelite_prefetch(toOpaque()) }
}

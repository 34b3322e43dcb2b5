import CFireLitePrefetch

// The objects of a large upsert are scattered over memory, and waiting for them one after the other was half of the time of an unchanged
// upsert. So each is prefetched shortly before it is read.

extension FHIRResource {
    /// Loads what the next resources consist of, one level deeper the nearer they are: what is read to find the next level has then arrived.
    package static func prefetch(_ resources: UnsafeBufferPointer<Unmanaged<FHIRResource>>, after index: Int) {
        if index + 12 < resources.count { resources[index + 12].prefetch() }
        if index + 8 < resources.count { resources[index + 8]._withUnsafeGuaranteedRef { $0.prefetchSlots() } }
        if index + 4 < resources.count { resources[index + 4]._withUnsafeGuaranteedRef { $0.prefetchValues() } }
        if index + 2 < resources.count { resources[index + 2]._withUnsafeGuaranteedRef { $0.prefetchInnerValues() } }
        if index + 1 < resources.count { resources[index + 1]._withUnsafeGuaranteedRef { $0.prefetchInnerItems() } }
    }

    /// Loads the text of the id.
    package final func prefetchID() {
        guard let slots, slotCount > 0, slots.content == .text else { return }
        slots.prefetchText()
    }
}

extension FHIRObject {
    /// Loads the beginning of the object, which will be read soon, into the processor's cache.
    package final func prefetch() { Unmanaged.passUnretained(self).prefetch() }

    /// Loads the memory of the values, which for an object with others in it is not next to its own.
    package final func prefetchSlots() {
        guard let slots else { return }
        for first in stride(from: 0, to: Int(slotCount), by: 8) { firelite_prefetch(slots + first) }
    }

    /// Loads the objects that are values of this one, and the memory of its lists.
    final func prefetchObjects() {
        guard let slots else { return }
        for place in slots..<slots + Int(slotCount) {
            switch place.content {
            case .object, .list: place.object.prefetch()
            case .text, .other: break
            }
        }
    }

    /// The same with the texts, for an object that will be read a little later.
    fileprivate final func prefetchValues() {
        guard let slots else { return }
        for place in slots..<slots + Int(slotCount) {
            switch place.content {
            case .text: place.prefetchText()
            case .object, .list: place.object.prefetch()
            case .other: break
            }
        }
    }

    /// The same for the values of these objects, and loads the items of these lists.
    fileprivate final func prefetchInnerValues() {
        guard let slots else { return }
        for place in slots..<slots + Int(slotCount) {
            switch place.content {
            case .object: place.object._withUnsafeGuaranteedRef { $0.prefetchValues() }
            case .list: place.objects.prefetchItems()
            case .text, .other: break
            }
        }
    }

    /// Loads the items of the lists in the objects that are values of this one.
    fileprivate final func prefetchInnerItems() {
        guard let slots else { return }
        for place in slots..<slots + Int(slotCount) {
            guard place.content == .object else { continue }
            place.object._withUnsafeGuaranteedRef { child in
                guard let slots = child.slots else { return }
                for place in slots..<slots + Int(child.slotCount) {
                    if place.content == .list { place.objects.prefetchItems() }
                }
            }
        }
    }
}

extension Unmanaged where Instance: FHIRObject {
    /// Also works for the memory of a list.
    package func prefetch() { firelite_prefetch(toOpaque()) }
}

extension UnsafeBufferPointer where Element == Unmanaged<FHIRObject> {
    /// Loads the first items of a list.
    @inline(__always)
    func prefetchItems() {
        for index in 0..<Swift.min(count, 8) { firelite_prefetch(self[index].toOpaque()) }
    }
}

/// What is to be loaded for a value.
private enum SlotContent { case text, object, list, other }

extension UnsafeMutablePointer where Pointee == ElementSlot {
    /// To ask for it first keeps the value from being copied, which would count references.
    @inline(__always)
    fileprivate var content: SlotContent {
        switch pointee.value {
        case .text: .text
        case .object: .object
        case .objects: .list
        case .word, .texts, .annotated, .annotatedTexts: .other
        }
    }

    /// Loads the bytes of a text that is longer than 15 bytes.
    ///
    /// Asking the string for them would count references, for which its memory must be there. Its second word has their address, with
    /// marks in the upper bits, one of which says that the text is in the words themselves
    /// (<https://github.com/swiftlang/swift/blob/main/stdlib/public/core/StringObject.swift>). Were it otherwise, the prefetch would be in vain.
    @inline(__always)
    fileprivate func prefetchText() {
        let word = UnsafeRawPointer(self).load(fromByteOffset: 8, as: UInt64.self)
        guard word & (1 << 61) == 0 else { return }
        firelite_prefetch_text(UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: word & 0x0FFF_FFFF_FFFF_FFFF)))
    }
}

extension UnsafeBufferPointer<String> {
    /// Loads the texts at these positions, which will be read soon, into the processor's cache.
    package func prefetchTexts(_ positions: Range<Int>) {
        // A long text's storage is the second of its two words, below some flags; a short one is in the words themselves. Should that change,
        // nothing useful is loaded.
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

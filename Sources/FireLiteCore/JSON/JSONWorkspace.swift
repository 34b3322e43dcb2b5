/// The memory that reading reuses from one text to the next: values waiting for their object, unescaped text, shared strings.
package struct JSONWorkspace: ~Copyable {
    /// Values of the objects being read, innermost last.
    package private(set) var slots: UnsafeMutablePointer<ElementSlot>
    package private(set) var count = 0
    private var capacity = 256
    /// Unescaped text.
    package private(set) var bytes: UnsafeMutablePointer<UInt8>
    package private(set) var byteCount = 0
    private var byteCapacity = 1024
    package var cache: StringCache
    private var lastType: (name: String, layout: Layout)?

    /// - Parameter sharesStrings: whether equal strings share storage, which pays off for large texts and for many texts.
    package init(sharesStrings: Bool) {
        cache = StringCache(isEnabled: sharesStrings)
        slots = .allocate(capacity: capacity)
        bytes = .allocate(capacity: byteCapacity)
    }

    deinit {
        slots.deinitialize(count: count)
        slots.deallocate()
        bytes.deallocate()
    }

    var isSmall: Bool { capacity <= 4_096 && byteCapacity <= 1 << 16 }

    // MARK: - Values

    @inline(__always)
    package mutating func push(_ slot: consuming ElementSlot) {
        if count == capacity { grow() }
        (slots + count).initialize(to: slot)
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<ElementSlot>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: slots, count: count)
        slots.deallocate()
        slots = larger
        capacity *= 2
    }

    /// The position of a slot's value, among those from `base` on.
    @inline(__always)
    package func position(of slot: Int, from base: Int) -> Int? {
        var position = base
        while position < count {
            if Int(slots[position].index) == slot { return position }
            position += 1
        }
        return nil
    }

    /// Sorts the values from `base` on by their slots.
    package mutating func sort(from base: Int) {
        for index in (base + 1)..<max(count, base + 1) {
            let slot = (slots + index).move()
            var hole = index
            while hole > base, slots[hole - 1].index > slot.index {
                (slots + hole).moveInitialize(from: slots + hole - 1, count: 1)
                hole -= 1
            }
            (slots + hole).initialize(to: slot)
        }
    }

    /// Moves the values from `base` on into `object`.
    @inline(__always)
    package mutating func hand(to object: FHIRObject, from base: Int) {
        object.adopt(slots + base, count - base)
        count = base
    }

    /// Discards what an interrupted read left.
    package mutating func clear() {
        slots.deinitialize(count: count)
        count = 0
    }

    // MARK: - Bytes

    package mutating func clearBytes() { byteCount = 0 }

    package mutating func append(_ source: UnsafePointer<UInt8>, _ length: Int) {
        if byteCount + length > byteCapacity {
            byteCapacity = max(byteCapacity * 2, byteCount + length)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
            larger.update(from: bytes, count: byteCount)
            bytes.deallocate()
            bytes = larger
        }
        (bytes + byteCount).update(from: source, count: length)
        byteCount += length
    }

    package mutating func append(_ scalar: Unicode.Scalar) {
        for byte in UTF8.encode(scalar).unsafelyUnwrapped {
            withUnsafePointer(to: byte) { append($0, 1) }
        }
    }

    // MARK: - Types

    /// The layout of a resource type. Caches the last one: a file tends to have one type.
    package mutating func resourceLayout(named name: String, in release: FHIRRelease) -> Layout? {
        if let lastType, lastType.name == name { return lastType.layout }
        guard let layout = release.resourceLayout(named: name) else { return nil }
        lastType = (name, layout)
        return layout
    }
}

// Values of slots without copies: a payload begins where its slot does, whatever its case (a test checks the compiler for that).
// Copying a string or an object out of a slot counts references twice; on the way into a store that took a third of the time.
// Inlinable, as the store's module needs them to be fast.

extension UnsafeMutablePointer where Pointee == ElementSlot {
    /// The object in a slot that is `.object`.
    @inlinable @inline(__always)
    package var object: Unmanaged<FHIRObject> { UnsafeRawPointer(self).load(as: Unmanaged<FHIRObject>.self) }

    /// The string in a slot that is `.text`.
    @inlinable @inline(__always)
    package var text: UnsafePointer<String> { UnsafeRawPointer(self).assumingMemoryBound(to: String.self) }

    /// The objects in a slot that is `.objects`: valid as long as the slot is not changed.
    @inlinable @inline(__always)
    package var objects: UnsafeBufferPointer<Unmanaged<FHIRObject>> {
        UnsafeRawPointer(self).assumingMemoryBound(to: [Unmanaged<FHIRObject>].self).pointee.withUnsafeBufferPointer { $0 }
    }

    /// The strings in a slot that is `.texts`: valid as long as the slot is not changed.
    @inlinable @inline(__always)
    package var texts: UnsafeBufferPointer<String> {
        UnsafeRawPointer(self).assumingMemoryBound(to: [String].self).pointee.withUnsafeBufferPointer { $0 }
    }
}

extension UnsafePointer where Pointee == String {
    /// Calls `body` with the string's UTF-8.
    @inlinable @inline(__always)
    package func withUTF8(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        // Only a string bridged from Objective-C has no UTF-8 of its own.
        if pointee.utf8.withContiguousStorageIfAvailable(body) == nil { Self.withCopiedUTF8(of: pointee, body) }
    }

    @usableFromInline @inline(never)
    package static func withCopiedUTF8(of string: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var native = string
        native.withUTF8(body)
    }
}

import Foundation

/// A value of an element in an object.
@usableFromInline package enum SlotValue {
    /// A boolean, an integer, a `DecimalWord` or a `TemporalWord`, depending on the element's type.
    case word(Int64)
    /// A string, or the literal of a decimal, date or time that does not fit a word.
    case text(String)
    case object(FHIRObject)
    case objects([FHIRObject])
    /// A list of primitives by their literals (`true`, `12`, `2020-01`), whatever their type.
    case texts([String])
    /// A primitive with an id or extensions (`_birthDate` in JSON).
    case annotated(AnnotatedPrimitive)
    /// A list of primitives with nulls, ids or extensions.
    case annotatedTexts(AnnotatedList)
}

/// A value and the number of the slot it fills.
@usableFromInline package struct ElementSlot {
    package var value: SlotValue
    package let index: UInt16

    package init(value: SlotValue, index: Int) {
        self.value = value
        self.index = UInt16(truncatingIfNeeded: index)
    }
}

/// A primitive's value with its `Element`: id and extensions. The value is nil if there are only those.
@usableFromInline package final class AnnotatedPrimitive {
    package var value: SlotValue?
    package let element: FHIRObject

    package init(value: SlotValue?, element: FHIRObject) {
        self.value = value
        self.element = element
    }
}

/// A list of primitives whose positions may be null or have an `Element`; both arrays have one entry for each position.
@usableFromInline package final class AnnotatedList {
    package var texts: [String?]
    package var elements: [FHIRObject?]

    package init(texts: [String?], elements: [FHIRObject?]) {
        self.texts = texts
        self.elements = elements
    }
}

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

// `allocate(capacity:)` asks for aligned memory, which glibc serves without the free lists that make `malloc` fast:
// that was a tenth of a scan. Memory from `malloc` is aligned for every word.

extension UnsafeMutablePointer where Pointee == ElementSlot {
    /// Uninitialized memory for that many slots.
    @inline(__always)
    static func slotMemory(_ capacity: Int) -> Self {
        guard let memory = malloc(capacity * MemoryLayout<ElementSlot>.stride) else {
            // Invariant: malloc fails only if the system has no memory left, which Swift's own allocations trap for too.
            fatalError("out of memory for an object's values")
        }
        return memory.assumingMemoryBound(to: ElementSlot.self)
    }

    /// Frees memory from `slotMemory(_:)`, which must be uninitialized.
    @inline(__always)
    func freeSlotMemory() { free(self) }
}

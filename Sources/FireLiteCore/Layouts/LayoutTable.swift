/// The kind of an element of a class, for code that works from layouts.
@frozen public enum ElementKind: UInt8, Sendable {
    /// A primitive datatype.
    case primitive
    /// A complex datatype or backbone element.
    case object
    /// Any resource: `contained`, `Bundle.entry.resource`.
    case resource
}

/// One slot of a class, in a form that can be read without reference counting.
///
/// `@unchecked Sendable`: immutable, and the objects it points to are neither changed nor freed, as layouts live as long as the process.
package struct ElementEntry: @unchecked Sendable {
    package let kind: ElementKind
    package let primitive: PrimitiveType
    package let storage: PrimitiveStorage
    package let isList: Bool
    /// The slots of the choice element that this one belongs to; empty for other elements.
    package let choiceFirst: UInt16
    package let choiceCount: UInt16
    /// `"name":` in UTF-8, for the writer, and its length.
    package let key: UnsafePointer<UInt8>
    package let keyLength: Int
    /// The class of a complex element; nil for primitives and resources.
    let type: FHIRObject.Type?
    /// The slots of a complex element's layout, if the release is data.
    let table: UnsafePointer<LayoutTable>?
    /// A hash of its name, the same in every version of the model, with room for a kind of value in the last byte.
    package let digestTag: UInt64

    /// A new object of a complex element; nil for primitives and resources.
    @inline(__always)
    package func makeObject() -> FHIRObject? {
        guard let type else { return nil }
        return table.map { type.init(_layoutTable: $0) } ?? type.init()
    }
}

/// The slots of a class and the index from JSON member names to them.
///
/// `@unchecked Sendable`: the memory is filled before the layout is shared, and never freed or changed afterwards.
package struct LayoutTable: @unchecked Sendable {
    package let entries: UnsafePointer<ElementEntry>
    package let count: Int
    /// A hash table of `memberMask + 1` slot numbers; empty entries are `noSlot`.
    package let members: UnsafePointer<UInt16>
    package let memberMask: Int
    package let layout: Unmanaged<Layout>
    /// `"resourceType":"Patient"` of a resource, for the writer; no bytes for other classes.
    package let typeMember: UnsafePointer<UInt8>
    package let typeMemberLength: Int

    package static let noSlot = UInt16.max

    /// A hash of a member name: its length and the bytes at both ends and in the middle distinguish FHIR's names well.
    ///
    /// It has no seed: the names in the table are the model's, and two thirds of it are empty, so any name from outside is
    /// compared with at most a few adjacent ones.
    @inline(__always)
    package static func hash(_ name: UnsafePointer<UInt8>, _ length: Int) -> Int {
        var value = UInt64(length)
        value = value &* 31 &+ UInt64(name[0])
        value = value &* 31 &+ UInt64(name[length - 1])
        value = value &* 31 &+ UInt64(name[length >> 1])
        value = value &* 31 &+ UInt64(name[length >> 2])
        value = value &* 31 &+ UInt64(name[(length * 3) >> 2])
        value = value &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: value >> 40)
    }

    /// The slot of a member name, or nil.
    @inline(__always)
    package func slot(named name: UnsafePointer<UInt8>, _ length: Int) -> Int? {
        guard length > 0 else { return nil }
        var position = Self.hash(name, length) & memberMask
        while true {
            let slot = members[position]
            if slot == Self.noSlot { return nil }
            let entry = entries + Int(slot)
            if entry.pointee.keyLength == length + 3, sameBytes(entry.pointee.key + 1, name, length) { return Int(slot) }
            position = (position + 1) & memberMask
        }
    }
}

/// Whether two runs of bytes are equal.
@inline(__always)
package func sameBytes(_ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var index = 0
    while index + 8 <= count {
        let left = UnsafeRawPointer(first + index).loadUnaligned(as: UInt64.self)
        let right = UnsafeRawPointer(second + index).loadUnaligned(as: UInt64.self)
        if left != right { return false }
        index += 8
    }
    while index < count {
        if first[index] != second[index] { return false }
        index += 1
    }
    return true
}

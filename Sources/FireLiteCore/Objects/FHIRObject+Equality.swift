// Objects are not `Hashable`: they are equal by content, which changes, and what changes in a set or as a key of a dictionary is not found
// again. `FHIRObjectID`, `pk` or `ObjectIdentifier(object)` are keys that stay.

extension FHIRObject: Equatable {
    /// Whether both have the same class and content. The pk does not count, nor does an element without content, which JSON cannot have.
    public static func == (left: FHIRObject, right: FHIRObject) -> Bool {
        left === right || left.hasSameContent(as: right)
    }

    package final func hasSameContent(as other: FHIRObject) -> Bool {
        guard layoutTable == other.layoutTable else { return false }
        var mine = 0
        var theirs = 0
        while true {
            skipEmpty(&mine)
            other.skipEmpty(&theirs)
            if mine == slotCount || theirs == other.slotCount { return mine == slotCount && theirs == other.slotCount }
            guard let first = slots?[mine], let second = other.slots?[theirs], first.index == second.index,
                first.value.hasSameContent(as: second.value)
            else { return false }
            mine += 1
            theirs += 1
        }
    }

    private final func skipEmpty(_ position: inout Int) {
        while position < slotCount, let slot = slots?[position], !slot.value.hasContent { position += 1 }
    }

    /// Whether the first value is a primitive without extensions: a quick test, and then there is content.
    @inline(__always)
    final var beginsWithValue: Bool {
        guard slotCount > 0, let slots else { return false }
        switch slots.pointee.value {
        case .word, .text: return true
        default: return false
        }
    }

    /// Whether anything is set in the object or in its elements; a resource has at least its type.
    package final var hasContent: Bool {
        if layoutTable.pointee.typeMemberLength > 0 { return true }
        guard let slots else { return false }
        for index in 0..<Int(slotCount) {
            switch slots[index].value {
            case .word, .text, .texts: return true
            case .object: if (slots + index).object._withUnsafeGuaranteedRef({ $0.hasContent }) { return true }
            case .objects:
                for child in (slots + index).objects where child._withUnsafeGuaranteedRef({ $0.hasContent }) { return true }
            case .annotated, .annotatedTexts: if slots[index].value.hasContent { return true }
            }
        }
        return false
    }
}

extension SlotValue {
    /// Whether there is anything to write in JSON.
    package var hasContent: Bool {
        switch self {
        case .word, .text, .texts: true
        case .object(let child): child.hasContent
        case .objects(let children): children.contains { $0.hasContent }
        case .annotated(let primitive): primitive.value != nil || primitive.element.hasContent
        case .annotatedTexts(let list):
            list.texts.contains { $0 != nil } || list.elements.allSatisfy { $0 == nil }
                || list.elements.contains { $0?.hasContent ?? false }
        }
    }

    package func hasSameContent(as other: SlotValue) -> Bool {
        switch (self, other) {
        case (.word(let first), .word(let second)): return first == second
        case (.text(let first), .text(let second)): return first.hasSameBytes(as: second)
        case (.object(let first), .object(let second)): return first.hasSameContent(as: second)
        case (.objects(let first), .objects(let second)):
            return first.count == second.count && zip(first, second).allSatisfy { $0.hasSameContent(as: $1) }
        case (.texts(let first), .texts(let second)):
            return first.count == second.count && zip(first, second).allSatisfy { $0.hasSameBytes(as: $1) }
        case (.annotated(let first), .annotated(let second)):
            guard first.element.hasSameContent(as: second.element) else { return false }
            switch (first.value, second.value) {
            case (nil, nil): return true
            case (let first?, let second?): return first.hasSameContent(as: second)
            default: return false
            }
        case (.annotatedTexts(let first), .annotatedTexts(let second)):
            return first.texts.elementsEqual(second.texts, by: Self.isSameText) && first.elements == second.elements
        default: return false
        }
    }

    private static func isSameText(_ first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return first.hasSameBytes(as: second)
    }
}

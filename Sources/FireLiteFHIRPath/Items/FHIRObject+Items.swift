import FireLiteCore

extension FHIRObject {
    /// Every value in the object with its slot, in the order of the definition.
    var childItems: [(slot: Int, item: Item)] {
        var items: [(slot: Int, item: Item)] = []
        for slot in slotRun {
            let index = Int(slot.index)
            var values: [Item] = []
            slot.value.append(to: &values, layoutTable.pointee.entries[index].primitive)
            for value in values { items.append((index, value)) }
        }
        return items
    }

    /// Appends every value in the object, in the order of the definition.
    func appendChildren(to items: inout [Item]) {
        for slot in slotRun { slot.value.append(to: &items, layoutTable.pointee.entries[Int(slot.index)].primitive) }
    }
}

extension SlotValue {
    /// Appends the values as items.
    @inline(__always)
    package func append(to items: inout [Item], _ type: PrimitiveType) {
        switch self {
        case .word(let word): items.append(.word(word, type))
        case .text(let text): items.append(.text(text, type))
        case .object(let object): items.append(.object(object))
        case .objects(let objects):
            if items.isEmpty { items.reserveCapacity(objects.count) }
            for object in objects { items.append(.object(object)) }
        case .texts(let texts): for text in texts { items.append(.text(text, type)) }
        case .annotated(let primitive): items.append(.annotated(primitive, type))
        case .annotatedTexts(let list):
            for (text, element) in zip(list.texts, list.elements) {
                if let element {
                    items.append(.annotated(AnnotatedPrimitive(value: text.map { .text($0) }, element: element), type))
                } else if let text {
                    items.append(.text(text, type))
                }
            }
        }
    }
}

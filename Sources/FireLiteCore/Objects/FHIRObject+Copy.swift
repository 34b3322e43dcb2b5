extension FHIRObjectInitializers where Self: FHIRObject {
    /// A deep copy with the same content and `id`, unmanaged, with new pks for everything in it.
    ///
    /// Nothing else refers to the copy, so it can be sent to another actor, wherever the object itself belongs.
    public func copy() -> sending Self {
        // Invariant: a deep copy shares only texts, numbers and the immutable layout with the object.
        nonisolated(unsafe) let copy = unsafeDowncast(copyObject(), to: Self.self)
        return copy
    }
}

extension FHIRObject {
    /// `copy()` without the static type.
    package final func copyObject() -> FHIRObject {
        let copy = Swift.type(of: self).init(_layoutTable: layoutTable)
        guard slotCount > 0, let slots else { return copy }
        copy.reserve(Int(slotCount))
        for index in 0..<Int(slotCount) {
            let value = slots[index].value.copied(for: copy)
            (copy.slots.unsafelyUnwrapped + index).initialize(to: ElementSlot(value: value, index: Int(slots[index].index)))
            copy.slotCount += 1
        }
        return copy
    }
}

extension SlotValue {
    /// A deep copy whose objects belong to `owner`.
    package func copied(for ownerObject: FHIRObject) -> SlotValue {
        func child(_ object: FHIRObject) -> FHIRObject {
            let copy = object.copyObject()
            copy.ownerObject = ownerObject
            return copy
        }
        switch self {
        case .word, .text, .texts: return self
        case .object(let object): return .object(child(object))
        case .objects(let objects): return .objects(objects.map(child))
        case .annotated(let primitive):
            return .annotated(AnnotatedPrimitive(value: primitive.value, element: child(primitive.element)))
        case .annotatedTexts(let list):
            return .annotatedTexts(AnnotatedList(texts: list.texts, elements: list.elements.map { $0.map(child) }))
        }
    }
}

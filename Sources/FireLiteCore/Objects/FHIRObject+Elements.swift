extension FHIRObjectInitialisers where Self: FHIRObject {
    /// The `Element` of a primitive, its id and extensions: `_birthDate` in JSON.
    ///
    /// ```swift
    /// patient[element: \.birthDate] = Element { $0.extension = [timeOfBirth] }
    /// ```
    /// - Parameter path: a generated property with a to-one primitive.
    /// - Precondition: the path is such a property, and the value one of the release's `Element`.
    public subscript<Value>(element path: KeyPath<Self, Value?>) -> FHIRObject? {
        get {
            guard case .annotated(let primitive)? = value(primitiveSlot(path)) else { return nil }
            return primitive.element
        }
        set { setElement(newValue, of: primitiveSlot(path)) }
    }

    /// The `Element` of each place of a list of primitives, nulls included: `_given` in JSON. Empty where no place has one.
    ///
    /// Setting the list sets as many places; ones past the end of the values become nulls.
    public subscript<Value>(elements path: KeyPath<Self, [Value]>) -> [FHIRObject?] {
        get {
            guard case .annotatedTexts(let list)? = value(primitiveSlot(path)) else { return [] }
            return list.elements
        }
        set { setElements(newValue, of: primitiveSlot(path)) }
    }

    /// The literals of a list of primitives with a nil for each null in it.
    public subscript<Value>(literals path: KeyPath<Self, [Value]>) -> [String?] {
        let slot = primitiveSlot(path)
        if case .annotatedTexts(let list)? = value(slot) { return list.texts }
        return _strings(slot)
    }

    private func primitiveSlot(_ path: AnyKeyPath) -> Int {
        guard let path = path as? PartialKeyPath<Self>, let element = ElementProbe.element(path, of: Self.self), element.kind == .primitive
        else { preconditionFailure("\(path) is no primitive element of \(layout.name): give a generated property with a primitive") }
        return element.slot
    }
}

extension FHIRObject {
    final func setElement(_ element: FHIRObject?, of slot: Int) {
        willChange()
        let old = value(slot)
        if element != nil { clearOtherChoices(of: slot) }
        if case .annotated(let primitive)? = old { disown(primitive.element) }
        let plain = plainValue(slot)
        if let element {
            store(.annotated(AnnotatedPrimitive(value: plain, element: adopt(element))), in: slot)
        } else {
            store(plain, in: slot)
        }
    }

    final func setElements(_ elements: [FHIRObject?], of slot: Int) {
        willChange()
        var texts: [String?] = []
        var old: [FHIRObject?] = []
        switch value(slot) {
        case .texts(let values): texts = values
        case .annotatedTexts(let list): (texts, old) = (list.texts, list.elements)
        default: break
        }
        for element in old { if let element, !elements.contains(where: { $0 === element }) { disown(element) } }
        while texts.count < elements.count { texts.append(nil) }
        var own: [FHIRObject?] = []
        for index in texts.indices {
            guard index < elements.count, let element = elements[index] else {
                own.append(nil)
                continue
            }
            let isOwn = element.ownerObject === self && old.contains { $0 === element } && !own.contains { $0 === element }
            own.append(isOwn ? element : adopt(element))
        }
        store(AnnotatedList.value(texts: texts, elements: own), in: slot)
    }
}

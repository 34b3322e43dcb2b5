extension FHIRObjectInitializers where Self: FHIRObject {
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

    /// The `Element` of each position of a list of primitives, including nulls: `_given` in JSON. Empty if no position has one.
    ///
    /// Setting the list sets as many positions; positions beyond the values become nulls. `[places:]` has values and elements together.
    ///
    /// When the values are set (`name.given = …`, `name.given.remove(at: 0)`), each `Element` follows its value, whether that is moved,
    /// swapped or sorted, and is removed with it. A value that replaces another at its position gets its `Element`, like a to-one
    /// primitive, if the list keeps its length, did not contain the new value and no longer contains the old one. If a value repeats, equal
    /// values are matched in order, and an `Element` is lost only if fewer of the values remain than had one. A null stays after the value
    /// before it.
    public subscript<Value>(elements path: KeyPath<Self, [Value]>) -> [FHIRObject?] {
        get {
            guard case .annotatedTexts(let list)? = value(primitiveSlot(path)) else { return [] }
            return list.elements
        }
        set { setElements(newValue, of: primitiveSlot(path)) }
    }

    /// The literals of a list of primitives, with nil for each null.
    public subscript<Value>(literals path: KeyPath<Self, [Value]>) -> [String?] {
        let slot = primitiveSlot(path)
        if case .annotatedTexts(let list)? = value(slot) { return list.texts }
        return _strings(slot)
    }

    func primitiveSlot(_ path: AnyKeyPath) -> Int {
        guard let path = path as? PartialKeyPath<Self>, let element = ElementProbe.element(path, of: Self.self), element.kind == .primitive
        else { misuse("\(path) is not a primitive element of \(layout.name): pass a generated property with a primitive") }
        return element.slot
    }
}

extension FHIRObject {
    package final func setElement(_ element: FHIRObject?, of slot: Int) {
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
        var texts: [String?] =
            switch value(slot) {
            case .texts(let values): values
            case .annotatedTexts(let list): list.texts
            default: []
            }
        var elements = elements
        while texts.count < elements.count { texts.append(nil) }
        while elements.count < texts.count { elements.append(nil) }
        setPlaces(texts, elements, of: slot)
    }
}

/// Finds the element behind a generated property: reads the property of an empty instance that records which slot is read.
///
/// So generated code needs no table from key paths to elements.
package enum ElementProbe {
    /// The element behind a key path to a generated property, a choice element by the first of its types; nil for other properties.
    package static func element<Object: FHIRObject>(_ path: PartialKeyPath<Object>, of type: Object.Type) -> LayoutElement? {
        let object = type.init()
        object.objectFlags.insert(.probe)
        object.rowNode = UInt32.max
        _ = object[keyPath: path]
        return object.rowNode == UInt32.max ? nil : object.layout.elements[Int(object.rowNode)]
    }

    @inline(never)
    static func record(_ slot: Int, of object: FHIRObject) {
        object.rowNode = UInt32(slot)
    }
}

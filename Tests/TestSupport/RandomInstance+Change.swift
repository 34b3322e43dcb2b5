#if RELEASE_TESTS
    // In the package of release tests, to which `package` symbols of this one are foreign.
    @testable import FireLiteCore
#else
    import FireLiteCore
#endif

extension RandomInstance {
    /// Gives an element other content through the setter that generated properties use, or takes it out.
    public mutating func change(_ element: LayoutElement, of object: FHIRObject) {
        let isRemoved = generator.percent(15)
        switch (element.kind, element.isList) {
        case (.primitive, false):
            guard !isRemoved, let type = element.primitive else { return object._setString(element.slot, nil) }
            setValue(value(of: type, binding: element.binding, object.layout.release), type, element.slot, of: object)
        case (.primitive, true):
            guard !isRemoved, let type = element.primitive else { return object._setStrings(element.slot, []) }
            let values = (0..<count(of: element, depth: 1)).map { _ in
                value(of: type, binding: element.binding, object.layout.release)
            }
            setValues(values, type, element.slot, of: object)
        case (_, false): object._setObject(element.slot, isRemoved ? nil : makeChild(element, of: object))
        case (_, true):
            let children = (0..<count(of: element, depth: 1)).map { _ in makeChild(element, of: object) }
            object._setObjects(element.slot, isRemoved ? [] : children)
        }
    }

    /// A small value for an element with a class of its own.
    public mutating func makeChild(_ element: LayoutElement, of object: FHIRObject) -> FHIRObject {
        child(element, of: object, depth: 2)
    }
}

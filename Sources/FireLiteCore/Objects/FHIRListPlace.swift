/// A position in a list of primitives: its value, and the `Element` with the value's id and extensions.
public struct FHIRListPlace<Value> {
    /// The value; nil for a null, which has only an `Element`.
    public var value: Value?
    /// The `Element`, or nil.
    public var element: FHIRObject?

    /// A position with a value, an `Element`, or both.
    public init(_ value: Value?, element: FHIRObject? = nil) {
        self.value = value
        self.element = element
    }
}

extension FHIRObjectInitializers where Self: FHIRObject {
    /// The positions of a list of primitives, including nulls: each value with its id and extensions, `given` and `_given` in JSON.
    ///
    /// A value and its `Element` always stay together:
    ///
    /// ```swift
    /// name[places: \.given].remove(at: 0)
    /// name[places: \.given].append(FHIRListPlace("Lee", element: Element { $0.id = "third" }))
    /// ```
    /// An element that belongs to another object is copied, never shared.
    ///
    /// - Parameter path: a generated property with a list of primitives.
    /// - Precondition: the path is such a property, and the elements are of the release's `Element`.
    public subscript<Value>(places path: ReferenceWritableKeyPath<Self, [Value]>) -> [FHIRListPlace<Value>] {
        get {
            let slot = primitiveSlot(path)
            guard case .annotatedTexts(let list)? = value(slot) else { return self[keyPath: path].map { FHIRListPlace($0) } }
            // A separate object turns the literals into values.
            let scratch = Self()
            return zip(list.texts, list.elements).map { text, element in
                scratch.store(text.map { .texts([$0]) }, in: slot)
                return FHIRListPlace(scratch[keyPath: path].first, element: element)
            }
        }
        set {
            let slot = primitiveSlot(path)
            let scratch = Self()
            scratch[keyPath: path] = newValue.compactMap(\.value)
            var rest = scratch._strings(slot)[...]
            setPlaces(newValue.map { $0.value == nil ? nil : rest.popFirst() }, newValue.map(\.element), of: slot)
        }
    }
}

extension FHIRObject {
    /// Sets a list of primitives and the `Element`s of its positions, both with one entry for each.
    final func setPlaces(_ texts: [String?], _ elements: [FHIRObject?], of slot: Int) {
        willChange()
        let old: [FHIRObject?] = if case .annotatedTexts(let list)? = value(slot) { list.elements } else { [] }
        disown(old, except: elements)
        // An element that was already in the list is kept, once.
        var staying = Set(old.compactMap { $0.map(ObjectIdentifier.init) })
        let own = elements.map { element -> FHIRObject? in
            guard let element else { return nil }
            return element.ownerObject === self && staying.remove(ObjectIdentifier(element)) != nil ? element : adopt(element)
        }
        store(AnnotatedList.value(texts: texts, elements: own), in: slot)
    }

    /// Releases the elements of a list of primitives that are not kept.
    final func disown(_ elements: [FHIRObject?], except staying: [FHIRObject?]) {
        let kept = Set(staying.compactMap { $0.map(ObjectIdentifier.init) })
        for element in elements { if let element, !kept.contains(ObjectIdentifier(element)) { disown(element) } }
    }
}

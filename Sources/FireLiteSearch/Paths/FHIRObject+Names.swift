import FireLite

// Reading elements by FHIR's names, for resources of any release.

extension FHIRObject {
    /// The text of a to-one primitive.
    func text(_ name: String) -> String? {
        guard let element = layout.element(named: name), element.kind == .primitive, !element.isList else { return nil }
        return _string(element.slot)
    }

    /// The texts of a primitive, to-one or a list.
    func texts(_ name: String) -> [String] {
        guard let element = layout.element(named: name), element.kind == .primitive else { return [] }
        return element.isList ? _strings(element.slot) : _string(element.slot).map { [$0] } ?? []
    }

    /// The objects of an element, to-one or a list.
    func children(_ name: String) -> [FHIRObject] {
        guard let element = layout.element(named: name), element.kind != .primitive else { return [] }
        if element.isList { return _objects(element.slot) }
        let object: FHIRObject? = _object(element.slot)
        return object.map { [$0] } ?? []
    }
}

/// Elements by their names in FHIR, for code that works with every release. An element that the type does not have counts as empty.
extension FHIRObject {
    /// The text of a to-one primitive.
    package func text(_ name: String) -> String? { primitive(name).flatMap { $0.isList ? nil : _string($0.slot) } }

    /// The texts of a primitive, to-one or a list.
    package func texts(_ name: String) -> [String] {
        guard let element = primitive(name) else { return [] }
        return element.isList ? _strings(element.slot) : _string(element.slot).map { [$0] } ?? []
    }

    /// The value of a to-one integer.
    package func integer(_ name: String) -> Int? { primitive(name).flatMap { $0.isList ? nil : _int($0.slot) } }

    /// The value of a to-one instant.
    package func instant(_ name: String) -> FHIRInstant? { primitive(name).flatMap { $0.isList ? nil : _instant($0.slot) } }

    /// The object of a to-one element.
    package func child(_ name: String) -> FHIRObject? {
        guard let element = layout.element(named: name), element.kind != .primitive, !element.isList else { return nil }
        return _object(element.slot)
    }

    /// The objects of an element, to-one or a list.
    package func children(_ name: String) -> [FHIRObject] {
        guard let element = layout.element(named: name), element.kind != .primitive else { return [] }
        if element.isList { return _objects(element.slot) }
        let object: FHIRObject? = _object(element.slot)
        return object.map { [$0] } ?? []
    }

    /// Sets a to-one text, if the type has the element.
    package func setText(_ name: String, _ text: String?) {
        if let element = primitive(name), !element.isList { _setString(element.slot, text) }
    }

    /// Removes a resource, so that it has no owner.
    package func takeResource(_ name: String) -> FHIRResource? {
        guard let slot = layout.element(named: name)?.slot, let resource: FHIRResource = _object(slot) else { return nil }
        _setObject(slot, nil as FHIRObject?)
        return resource
    }

    private func primitive(_ name: String) -> LayoutElement? {
        layout.element(named: name).flatMap { $0.kind == .primitive ? $0 : nil }
    }
}

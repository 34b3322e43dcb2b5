/// Elements by their names in FHIR, for code that works with every release. An element that the type does not have counts as empty.
extension FHIRObject {
    /// The text of a to-one primitive, as JSON has it without quotation marks: `true` of a boolean, too.
    package func text(_ name: String) -> String? {
        guard let slot = value(of: name), let value = plainValue(slot) else { return nil }
        if case .text(let text) = value { return text }
        return value.literal(entry(slot).primitive)
    }

    /// The texts of a primitive, to-one or a list.
    package func texts(_ name: String) -> [String] {
        guard let element = primitive(name) else { return [] }
        return element.isList ? _strings(element.slot) : _string(element.slot).map { [$0] } ?? []
    }

    /// The value of a to-one integer.
    package func integer(_ name: String) -> Int? { value(of: name).flatMap { _int($0) } }

    /// The value of a to-one instant.
    package func instant(_ name: String) -> FHIRInstant? { value(of: name).flatMap { _instant($0) } }

    /// The object of a to-one element.
    package func child(_ name: String) -> FHIRObject? {
        guard let slot = slot(of: name), !entry(slot).isList, entry(slot).kind != .primitive else { return nil }
        return _object(slot)
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
        if let slot = value(of: name) { _setString(slot, text) }
    }

    /// Removes a resource, so that it has no owner.
    package func takeResource(_ name: String) -> FHIRResource? {
        guard let slot = slot(of: name), let resource: FHIRResource = _object(slot) else { return nil }
        _setObject(slot, nil as FHIRObject?)
        return resource
    }

    /// The slot of a to-one primitive; nil if the type has none of the name.
    private func value(of name: String) -> Int? {
        slot(of: name).flatMap { entry($0).kind == .primitive && !entry($0).isList ? $0 : nil }
    }

    /// The slot of an element, without a copy of all that is known of it.
    private func slot(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { bytes in bytes.baseAddress.flatMap { layoutTable.pointee.slot(named: $0, bytes.count) } }
    }

    private func entry(_ slot: Int) -> ElementEntry { layoutTable.pointee.entries[slot] }

    private func primitive(_ name: String) -> LayoutElement? {
        layout.element(named: name).flatMap { $0.kind == .primitive ? $0 : nil }
    }
}

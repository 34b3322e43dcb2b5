import FireLiteCore

/// Elements by their names in FHIR, for code that works with every release.
extension FHIRObject {
    func text(_ name: String) -> String? { layout.element(named: name).flatMap { _string($0.slot) } }

    func integer(_ name: String) -> Int? { layout.element(named: name).flatMap { _int($0.slot) } }

    func instant(_ name: String) -> FHIRInstant? { layout.element(named: name).flatMap { _instant($0.slot) } }

    func child(_ name: String) -> FHIRObject? { layout.element(named: name).flatMap { _object($0.slot) } }

    func children(_ name: String) -> [FHIRObject] { layout.element(named: name).map { _objects($0.slot) } ?? [] }

    /// Takes a resource out, so that it belongs to nobody.
    func takeResource(_ name: String) -> FHIRResource? {
        guard let slot = layout.element(named: name)?.slot, let resource: FHIRResource = _object(slot) else { return nil }
        _setObject(slot, nil as FHIRObject?)
        return resource
    }
}

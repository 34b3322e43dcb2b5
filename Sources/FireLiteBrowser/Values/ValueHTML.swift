import FireLiteCore

/// Values with links.
enum ValueHTML {
    /// A value for the cell of a table; nil if there is nothing to read.
    static func short(_ value: ElementValue, _ release: FHIRRelease) -> HTML? {
        guard let text = Summary.text(value) else { return nil }
        if case .object(let object) = value, let address = target(of: object, release) {
            return Parts.link(Numbers.clipped(text, 60), address)
        }
        return text.utf8.count <= 16 ? "<span class=\"nowrap\">\(text)</span>" : "\(Numbers.clipped(text, 120))"
    }

    /// The page of what a reference leads to, if it can be in the store.
    static func target(of object: FHIRObject, _ release: FHIRRelease) -> Address? {
        let reference = object.layout.name == "CodeableReference" ? object.child("reference") : object
        guard let reference, reference.layout.name == "Reference", let text = ElementValues.text("reference", of: reference) else {
            return nil
        }
        return address(of: text, release)
    }

    /// The page of a reference's text: `Patient/1`, also with a base before or a version behind it.
    static func address(of reference: String, _ release: FHIRRelease) -> Address? {
        guard reference.utf8.count <= 2_048 else { return nil }
        let parts = ReferenceParts(reference)
        guard let type = parts.type, let id = parts.id, release.hasResourceType(named: type) else { return nil }
        return .resource(type, id)
    }
}

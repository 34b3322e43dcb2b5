import FireLite

/// Which elements of a resource `_summary` and `_elements` leave.
struct SearchSubset {
    private let control: SearchControl
    private let catalog: ParameterCatalog

    /// Nil if all elements are asked for.
    init?(_ control: SearchControl, _ catalog: ParameterCatalog) {
        guard control.summary != .none || !control.elements.isEmpty else { return nil }
        self.control = control
        self.catalog = catalog
    }

    /// A copy with those elements, marked as a part.
    func applied(to resource: FHIRResource) -> FHIRResource {
        let copy = resource.copy()
        let layout = copy.layout
        let summary = catalog.summary(of: layout.name)
        for element in layout.elements where !keeps(element, layout, summary) { copy.store(nil, in: element.slot) }
        if control.summary == .all { for element in layout.elements { narrow(copy, element) } }
        mark(copy)
        return copy
    }

    /// Whether `_elements` names an element of a type: `name`, `Patient.name`, or `value` for each type of `value[x]`.
    static func hasElement(_ name: String, _ layout: Layout) -> Bool { layout.elements.contains { isName(name, of: $0, layout) } }

    private static func isName(_ name: String, of element: LayoutElement, _ layout: Layout) -> Bool {
        let parts = name.split(separator: ".").map(String.init)
        guard let own = parts.count > 1 ? (parts[0] == layout.name ? parts[1] : nil) : parts.first else { return false }
        return own == element.name || own + "[x]" == element.choice?.name
    }

    private func keeps(_ element: LayoutElement, _ layout: Layout, _ summary: Set<String>?) -> Bool {
        let isMandatory = (element.choice?.min ?? element.min) > 0
        if element.name == "id" || element.name == "meta" || isMandatory { return true }
        if !control.elements.isEmpty {
            return control.elements.contains { Self.isName($0, of: element, layout) }
        }
        switch control.summary {
        case .text: return element.name == "text"
        case .data: return element.name != "text"
        case .all:
            guard let summary else { return element.name != "text" }
            return summary.contains(element.choice?.name ?? element.name) || element.name == "implicitRules"
        case .count, .none: return true
        }
    }

    /// Leaves the summary of a backbone element.
    private func narrow(_ object: FHIRObject, _ element: LayoutElement) {
        guard let layout = element.layout, layout.kind == .backbone, let summary = catalog.summary(of: layout.name),
            let value = object.value(element.slot)
        else { return }
        value.forEachChild { child in
            for inner in layout.elements where inner.min == 0 && !summary.contains(inner.choice?.name ?? inner.name) && inner.name != "id" {
                child.store(nil, in: inner.slot)
            }
            for inner in layout.elements { narrow(child, inner) }
        }
    }

    /// The code of the tag of a part.
    private static let code = "SUBSETTED"

    /// Adds the tag that says that it is a part, unless the resource has it.
    private func mark(_ resource: FHIRResource) {
        guard let meta = resource.layout.element(named: "meta"), let layout = meta.layout, let tag = layout.element(named: "tag"),
            let coding = tag.layout, let system = coding.element(named: "system"), let code = coding.element(named: "code")
        else { return }
        let object: FHIRObject = resource._object(meta.slot) ?? layout.makeObject()
        let subsetSystem = resource.layout.release.facts.subsetSystem
        let tags: [FHIRObject] = object._objects(tag.slot)
        // What came from a server as a part, and was stored so, has it already.
        if tags.contains(where: { $0._string(system.slot) == subsetSystem && $0._string(code.slot) == Self.code }) { return }
        let mark = coding.makeObject()
        mark._setString(system.slot, subsetSystem)
        mark._setString(code.slot, Self.code)
        object._setObjects(tag.slot, tags + [mark])
        if (resource._object(meta.slot) as FHIRObject?) == nil { resource._setObject(meta.slot, object) }
    }
}

import FireLiteCore

/// Finds the elements of a profile that say no more than FHIR's own types do, which every record is checked by without the profile.
///
/// A snapshot repeats every element of its type, and most profiles say more about a few of them.
struct PlainElements {
    private let release: FHIRRelease
    private let facts: BaseFacts

    init(_ release: FHIRRelease) { (self.release, facts) = (release, BaseFacts.of(release)) }

    /// Notes in each element below a node where it is in a type, and which of them a record is compared with.
    func mark(_ node: StructureNode, as layout: Layout) {
        for child in node.children { mark(child, in: layout) }
        node.demanding = node.children.filter { !$0.isPlain }
    }

    private func mark(_ node: StructureNode, in layout: Layout) {
        let slots = Self.slots(of: node.name, in: layout)
        guard let first = slots.first else { return }
        node.place = StructureNode.Place(layout: layout, slots: slots)
        let element = layout.elements[first]
        let own = slots.count == 1 ? element.layout : nil
        var isPlain = node.slices.isEmpty && node.ownConstraints.isEmpty && isPlain(node.rule, slots, in: layout)
        if !node.children.isEmpty {
            if let own { mark(node, as: own) }
            isPlain = isPlain && node.demanding?.isEmpty ?? false
        }
        for slice in node.slices { mark(slice: slice, of: node.place, own) }
        node.isPlain = isPlain
    }

    /// The slice of a choice has the layout of its only type.
    private func mark(slice: StructureNode, of place: StructureNode.Place?, _ own: Layout?) {
        slice.place = place
        let types = slice.rule.types ?? []
        if let layout = own ?? (types.count == 1 ? release.layout(named: types[0].code) : nil), !slice.children.isEmpty {
            mark(slice, as: layout)
        }
        for inner in slice.slices { mark(slice: inner, of: place, own) }
    }

    /// The slots of an element by its name in definitions: those of all types of `value[x]`.
    private static func slots(of name: String, in layout: Layout) -> Range<Int> {
        guard name.hasSuffix("[x]") else { return layout.element(named: name).map { $0.slot..<$0.slot + 1 } ?? 0..<0 }
        return layout.elements.lazy.compactMap(\.choice).first { $0.name == name }?.slots ?? 0..<0
    }

    // MARK: - Rules

    /// Whether a rule allows all that the type allows.
    private func isPlain(_ rule: ElementRule, _ slots: Range<Int>, in layout: Layout) -> Bool {
        let elements = layout.elements[slots]
        guard let element = elements.first, rule.fixed == nil, rule.pattern == nil, rule.minimum == nil, rule.maximum == nil,
            rule.maxLength == nil
        else { return false }
        if rule.min ?? 0 > element.choice?.min ?? element.min { return false }
        if let limit = rule.limit, element.max.map({ limit < $0 }) ?? true { return false }
        guard let types = rule.types, rule.contentReference == nil else { return isPlain(rule.binding, elements, in: layout) }
        guard types.allSatisfy({ $0.profiles.isEmpty && $0.aggregation.isEmpty && $0.versioning == nil }) else { return false }
        return elements.allSatisfy { part in types.contains { allows($0, part) } } && isPlain(rule.binding, elements, in: layout)
    }

    private func allows(_ type: ElementRule.TypeRule, _ element: LayoutElement) -> Bool {
        let isSame =
            type.code == element.typeName
            // `System.String` stands for ids and URLs.
            || type.code == "String" && element.kind == .primitive
            || ["BackboneElement", "Element"].contains(type.code) && element.layout?.kind == .backbone
        guard isSame else { return false }
        let targets = Set(type.targets)
        if targets.isEmpty || targets.contains(Knowledge.base + "Resource") { return true }
        return !element.targets.isEmpty && targets.isSuperset(of: element.targets.map { Knowledge.base + $0 })
            && targets.allSatisfy { $0.hasPrefix(Knowledge.base) }
    }

    /// Whether a binding asks for nothing, or for the codes that the release lists for the element.
    private func isPlain(_ binding: ElementRule.Binding?, _ elements: ArraySlice<LayoutElement>, in layout: Layout) -> Bool {
        guard let binding, let valueSet = binding.valueSet else { return true }
        guard let element = elements.first, elements.count == 1, element.primitive == .code,
            let bound = facts.boundSet(of: element.name, layout).map({ Canonical($0).url })
        else { return !["required", "extensible"].contains(binding.strength) && binding.maximum == nil }
        switch binding.strength {
        case "required":
            return Canonical(valueSet).url == bound && (element.binding != nil || BaseFacts.isOpen(bound)) && binding.maximum == nil
        case "extensible": return false
        default: return binding.maximum.map { Canonical($0).url == bound && BaseFacts.isOpen(bound) } ?? true
        }
    }
}

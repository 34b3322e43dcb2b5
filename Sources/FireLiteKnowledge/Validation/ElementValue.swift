import FireLiteCore
import FireLiteFHIRPath

/// A value of an element in a record, with what the record's layout says about it.
struct ElementValue {
    let item: Item
    /// The name in the record: `valueQuantity` for `value[x]`.
    let name: String
    /// The position in a list; nil for a to-one element.
    let index: Int?
    /// The FHIR type: `Quantity`, `Patient` for a contained one; `code`.
    let type: String

    /// The object, or the id and extensions of a primitive.
    var children: FHIRObject? { item.children }
    var object: FHIRObject? { if case .object(let object) = item { object } else { nil } }
    /// The text of a primitive.
    var text: String? { object == nil ? item.textValue : nil }
}

extension FHIRObject {
    /// The values of an element by its name in definitions: `name`, `value[x]`.
    func values(named name: some StringProtocol) -> [ElementValue] {
        guard name.hasSuffix("[x]") else {
            guard let element = layout.element(named: String(name)) else { return [] }
            return values(of: element)
        }
        var found: [ElementValue] = []
        for slot in slotRun {
            let element = layout.elements[Int(slot.index)]
            if let choice = element.choice, choice.name == name { found += values(of: element) }
        }
        return found
    }

    /// The values of the element that a node of a structure is about.
    func values(of node: StructureNode) -> [ElementValue] {
        if let place = node.place, place.layout === layout { return values(at: place.slots) }
        if node.isChoice { return values(named: node.name) }
        return layout.element(named: node.name).map { values(of: $0) } ?? []
    }

    func values(of element: LayoutElement) -> [ElementValue] { values(at: element.slot..<element.slot + 1) }

    /// The values in slots that follow one another.
    func values(at wanted: Range<Int>) -> [ElementValue] {
        var found: [ElementValue] = []
        for slot in slotRun where wanted.contains(Int(slot.index)) { append(slot.value, at: Int(slot.index), to: &found) }
        return found
    }

    private func append(_ value: SlotValue, at slot: Int, to found: inout [ElementValue]) {
        // Read in place: the description of an element is large.
        let entry = layoutTable.pointee.entries + slot
        let isList = entry.pointee.isList
        var items: [Item] = []
        value.append(to: &items, entry.pointee.primitive)
        let layout = layout
        for (index, item) in items.enumerated() {
            var type = layout.elements[slot].typeName
            if case .object(let object) = item, entry.pointee.kind == .resource || type.utf8.contains(UInt8(ascii: ".")) {
                type = object.layout.name
            }
            found.append(ElementValue(item: item, name: layout.elements[slot].name, index: isList ? index : nil, type: type))
        }
    }

    /// The text of a to-one primitive, as `text(_:)` gives it, by a name that is known to the compiler: validation asks for many.
    func text(of name: StaticString) -> String? {
        guard let slot = layoutTable.pointee.slot(named: name.utf8Start, name.utf8CodeUnitCount) else { return nil }
        let entry = layoutTable.pointee.entries + slot
        return entry.pointee.kind == .primitive && !entry.pointee.isList ? _string(slot) : nil
    }

    /// The value of a choice element, `value` for `value[x]`.
    func choice(_ stem: String) -> ElementValue? { values(named: stem + "[x]").first }

    /// Calls `body` with every value.
    func forEachValue(_ body: (ElementValue, LayoutElement) throws -> Void) rethrows {
        for slot in slotRun {
            let element = layout.elements[Int(slot.index)]
            for value in values(of: element) { try body(value, element) }
        }
    }

    /// Calls `body` with every value that has elements of its own: objects, and primitives with an id or extensions.
    func forEachChild(_ body: (ElementValue, LayoutElement) throws -> Void) rethrows {
        for slot in slotRun {
            switch slot.value {
            case .word, .text, .texts: continue
            case .object, .objects, .annotated, .annotatedTexts: break
            }
            let element = layout.elements[Int(slot.index)]
            for value in values(of: element) { try body(value, element) }
        }
    }

    /// The extensions with a URL.
    func extensions(_ url: String) -> [FHIRObject] { children("extension").filter { $0.text("url") == url } }

    /// The value of the first extension with a URL.
    func extensionValue(_ url: String) -> ElementValue? { extensions(url).first?.choice("value") }
}

extension ElementValue {
    /// Whether the value has all that a pattern has (FHIR, ElementDefinition, pattern[x]), or is the same as a fixed value.
    func matches(_ json: JSONItem, isExact: Bool) -> Bool { Self.matches(item, json, isExact: isExact) }

    private static func matches(_ item: Item, _ json: JSONItem, isExact: Bool) -> Bool {
        guard case .object(let object) = item else {
            switch json.content {
            case .string(let text): return item.textValue.map { $0.hasSameBytes(as: text) } ?? false
            case .bool(let value): return item.textValue == (value ? "true" : "false")
            case .number(let literal): return sameNumber(item.textValue, literal, isExact: isExact)
            default: return false
            }
        }
        guard case .object(let members) = json.content else { return false }
        for member in members where !member.name.hasPrefix("_") && member.name != "resourceType" {
            let values = object.values(named: member.name)
            if case .array(let wanted) = member.value.content {
                if isExact {
                    guard values.count == wanted.count,
                        zip(values, wanted).allSatisfy({ matches($0.item, $1, isExact: true) })
                    else { return false }
                } else if !wanted.allSatisfy({ part in values.contains { matches($0.item, part, isExact: false) } }) {
                    return false
                }
            } else {
                guard let value = values.first, values.count == 1, matches(value.item, member.value, isExact: isExact) else { return false }
            }
        }
        guard isExact else { return true }
        // A fixed value has nothing beside it.
        var isAlone = true
        object.forEachValue { value, _ in
            if !members.contains(where: { $0.name == value.name || $0.name == "_" + value.name }) { isAlone = false }
        }
        return isAlone
    }

    private static func sameNumber(_ text: String?, _ literal: String, isExact: Bool) -> Bool {
        guard let text else { return false }
        if text == literal { return true }
        guard let first = FHIRDecimal(text), let second = FHIRDecimal(literal) else { return false }
        return first.decimalValue == second.decimalValue
    }
}

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
        for slot in slotRun.indices {
            let index = Int(slotRun[slot].index)
            if index < wanted.lowerBound { continue }
            if index >= wanted.upperBound { break }
            append(slotRun[slot].value, at: index, to: &found)
        }
        return found
    }

    private func append(_ value: SlotValue, at slot: Int, to found: inout [ElementValue]) {
        // Read in place: the description of an element is large.
        let entry = layoutTable.pointee.entries + slot
        let layout = layout
        let name = layout.elements[slot].name
        switch value {
        case .object(let object):
            found.append(ElementValue(item: .object(object), name: name, index: entry.pointee.isList ? 0 : nil, type: object.layout.name))
        case .objects(let objects):
            found.reserveCapacity(found.count + objects.count)
            for (index, object) in objects.enumerated() {
                found.append(ElementValue(item: .object(object), name: name, index: index, type: object.layout.name))
            }
        default:
            var items: [Item] = []
            value.append(to: &items, entry.pointee.primitive)
            let type = layout.elements[slot].typeName
            for (index, item) in items.enumerated() {
                found.append(ElementValue(item: item, name: name, index: entry.pointee.isList ? index : nil, type: type))
            }
        }
    }

    /// The values of an element by its JSON member name.
    func items(named name: String) -> [Item] {
        if name.utf8.last == UInt8(ascii: "]") { return values(named: name).map(\.item) }
        return slot(named: name).map { items(at: $0) } ?? []
    }

    /// The slot of an element by its JSON member name.
    func slot(named name: String) -> Int? {
        var name = name
        return name.withUTF8 { bytes in bytes.baseAddress.flatMap { layoutTable.pointee.slot(named: $0, bytes.count) } }
    }

    /// The values in a slot.
    func items(at slot: Int) -> [Item] {
        guard let position = position(of: slot) else { return [] }
        var items: [Item] = []
        slotRun[position].value.append(to: &items, layoutTable.pointee.entries[slot].primitive)
        return items
    }

    /// The objects of an element by a name that is known to the compiler.
    func objects(of name: StaticString) -> [FHIRObject] {
        guard let slot = layoutTable.pointee.slot(named: name.utf8Start, name.utf8CodeUnitCount), let position = position(of: slot) else {
            return []
        }
        switch slotRun[position].value {
        case .object(let object): return [object]
        case .objects(let objects): return objects
        default: return []
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
    func forEachChild(_ body: (ElementValue) throws -> Void) rethrows {
        for position in slotRun.indices {
            switch slotRun[position].value {
            case .word, .text, .texts: continue
            case .object, .objects, .annotated, .annotatedTexts: break
            }
            let slot = Int(slotRun[position].index)
            for value in values(at: slot..<slot + 1) { try body(value) }
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
        for member in members where member.name.utf8.first != UInt8(ascii: "_") && member.name != "resourceType" {
            let items = object.items(named: member.name)
            if case .array(let wanted) = member.value.content {
                if isExact {
                    guard items.count == wanted.count, zip(items, wanted).allSatisfy({ matches($0, $1, isExact: true) }) else {
                        return false
                    }
                } else if !wanted.allSatisfy({ part in items.contains { matches($0, part, isExact: false) } }) {
                    return false
                }
            } else {
                guard items.count == 1, matches(items[0], member.value, isExact: isExact) else { return false }
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

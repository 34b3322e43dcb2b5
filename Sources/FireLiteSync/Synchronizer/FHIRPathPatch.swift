import FireLiteCore
import Foundation

/// FHIRPath Patches (<https://hl7.org/fhir/fhirpatch.html>) from one state of a resource to another.
///
/// An element that was changed inside is changed inside; what was added and removed is added and deleted as a whole. Items of lists keep their places
/// until all changes inside of them are done; then the surplus ones are deleted from the end, and new ones inserted in order.
struct FHIRPathPatch {
    /// The layout of `Parameters.parameter`, which knows the types that a value can have.
    private let parameter: Layout
    private var operations: [String] = []

    /// - Returns: the Parameters resource as JSON; nil if the states do not differ, or in something that a patch cannot express: extensions of
    ///   primitives, contained resources, and types that no parameter has.
    static func patch(from old: FHIRResource, to new: FHIRResource) -> Data? {
        guard old.layoutTable == new.layoutTable,
            let parameter = new.layout.release.resourceLayout(named: "Parameters")?.element(named: "parameter")?.layout
        else { return nil }
        var patch = FHIRPathPatch(parameter: parameter)
        guard patch.compare(old.withoutServerMeta, new.withoutServerMeta, new.layout.name), !patch.operations.isEmpty else { return nil }
        return Data(#"{"resourceType":"Parameters","parameter":[\#(patch.operations.joined(separator: ","))]}"#.utf8)
    }

    private init(parameter: Layout) { self.parameter = parameter }

    // MARK: - Comparing

    /// - Returns: false if the difference cannot be expressed.
    private mutating func compare(_ old: FHIRObject, _ new: FHIRObject, _ path: String) -> Bool {
        for element in new.layout.elements {
            if let choice = element.choice, choice.slots.lowerBound != element.slot { continue }
            let slots = element.choice.map(\.slots) ?? element.slot..<element.slot + 1
            let name = element.choice.map { String($0.name.dropLast(3)) } ?? element.name
            let (first, second) = (Filled(old, slots), Filled(new, slots))
            guard compare(first, new: second, name: name, parent: path) else { return false }
        }
        return true
    }

    /// The value of an element, and the element; of a choice, that of its type.
    private struct Filled {
        let element: LayoutElement
        let value: SlotValue

        init?(_ object: FHIRObject, _ slots: Range<Int>) {
            for slot in slots {
                guard let value = object.value(slot), value.hasContent else { continue }
                (element, self.value) = (object.layout.elements[slot], value)
                return
            }
            return nil
        }
    }

    private mutating func compare(_ old: Filled?, new: Filled?, name: String, parent: String) -> Bool {
        let path = "\(parent).\(name)"
        switch (old, new) {
        case (nil, nil): return true
        case (let old?, let new?) where old.element.slot == new.element.slot:
            if old.value.hasSameContent(as: new.value) { return true }
            if new.element.isList { return compareLists(old.value, new: new.value, element: new.element, name: name, parent: parent) }
            return compareOne(old.value, new: new.value, element: new.element, path: path)
        case (let old?, let new):
            // A choice with another type, or nothing anymore.
            guard old.element.isList else {
                add("delete", path)
                return new.map { append($0, name, parent) } ?? true
            }
            guard let items = Self.items(old.value) else { return false }
            for index in items.indices.reversed() { add("delete", "\(path)[\(index)]") }
            return true
        case (nil, let new?): return append(new, name, parent)
        }
    }

    private mutating func append(_ new: Filled, _ name: String, _ parent: String) -> Bool {
        guard let items = Self.items(new.value) else { return false }
        for item in items { guard append(item, element: new.element, name: name, parent: parent) else { return false } }
        return true
    }

    private mutating func append(_ item: SlotValue, element: LayoutElement, name: String, parent: String) -> Bool {
        guard let value = value(item, element) else { return false }
        add("add", parent, [Self.part("name", "valueString", JSONText.string(name)), value])
        return true
    }

    private mutating func compareOne(_ old: SlotValue, new: SlotValue, element: LayoutElement, path: String) -> Bool {
        if old.hasSameContent(as: new) { return true }
        if case .object(let first) = old, case .object(let second) = new, first.layoutTable == second.layoutTable, !first.layout.isResource
        {
            return compare(first, second, path)
        }
        guard let value = value(new, element) else { return false }
        add("replace", path, [value])
        return true
    }

    private mutating func compareLists(
        _ old: SlotValue, new: SlotValue, element: LayoutElement, name: String, parent: String
    ) -> Bool {
        guard let first = Self.items(old), let second = Self.items(new) else { return false }
        let path = "\(parent).\(name)"
        var start = 0
        while start < first.count, start < second.count, first[start].hasSameContent(as: second[start]) { start += 1 }
        var (oldEnd, newEnd) = (first.count, second.count)
        while oldEnd > start, newEnd > start, first[oldEnd - 1].hasSameContent(as: second[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
        }
        if oldEnd - start == newEnd - start, let place = Self.rotation(first[start..<oldEnd], second[start..<newEnd]) {
            add(
                "move", path,
                [
                    Self.part("source", "valueInteger", "\(start + place.from)"),
                    Self.part("destination", "valueInteger", "\(start + place.to)"),
                ])
            return true
        }
        let both = min(oldEnd, newEnd)
        for index in start..<max(start, both)
        where !compareOne(first[index], new: second[index], element: element, path: "\(path)[\(index)]") { return false }
        for index in (both..<max(both, oldEnd)).reversed() { add("delete", "\(path)[\(index)]") }
        for index in both..<max(both, newEnd) {
            // Nothing comes after it.
            if newEnd == second.count {
                guard append(second[index], element: element, name: name, parent: parent) else { return false }
                continue
            }
            guard let value = value(second[index], element) else { return false }
            add("insert", path, [Self.part("index", "valueInteger", "\(index)"), value])
        }
        return true
    }

    /// Which item was moved, if that is all that happened between the first and the last difference.
    private static func rotation(_ old: ArraySlice<SlotValue>, _ new: ArraySlice<SlotValue>) -> (from: Int, to: Int)? {
        guard old.count > 1, let first = old.first, let last = old.last, let newFirst = new.first, let newLast = new.last else {
            return nil
        }
        func areSame(_ one: ArraySlice<SlotValue>, _ other: ArraySlice<SlotValue>) -> Bool {
            zip(one, other).allSatisfy { $0.hasSameContent(as: $1) }
        }
        if first.hasSameContent(as: newLast), areSame(old.dropFirst(), new.dropLast()) { return (0, old.count - 1) }
        if last.hasSameContent(as: newFirst), areSame(old.dropLast(), new.dropFirst()) { return (old.count - 1, 0) }
        return nil
    }

    /// The items of a list, or the only value; nil for primitives with ids or extensions.
    private static func items(_ value: SlotValue) -> [SlotValue]? {
        switch value {
        case .word, .text, .object: [value]
        case .objects(let objects): objects.map { .object($0) }
        case .texts(let texts): texts.map { .text($0) }
        case .annotated, .annotatedTexts: nil
        }
    }

    // MARK: - Values

    /// The part with a value; nil if no parameter can have it.
    private func value(_ value: SlotValue, _ element: LayoutElement, name: String = "value") -> String? {
        let member = "value" + element.typeName.prefix(1).uppercased() + element.typeName.dropFirst()
        if let primitive = element.primitive {
            guard parameter.element(named: member) != nil else { return nil }
            // Items of lists are literals whatever their type.
            guard let literal = value.literal(primitive) else { return nil }
            return Self.part(name, member, JSONText.primitive(literal, primitive))
        }
        guard case .object(let object) = value, !object.layout.isResource else { return nil }
        if parameter.element(named: member) != nil { return Self.part(name, member, FHIRJSON.string(object)) }
        // A backbone element has no type of its own: its elements are parts.
        var parts: [String] = []
        for element in object.layout.elements {
            guard let value = object.value(element.slot), value.hasContent else { continue }
            guard let items = Self.items(value) else { return nil }
            let name = element.choice.map { String($0.name.dropLast(3)) } ?? element.name
            for item in items {
                guard let part = self.value(item, element, name: name) else { return nil }
                parts.append(part)
            }
        }
        return #"{"name":"\#(name)","part":[\#(parts.joined(separator: ","))]}"#
    }

    private static func part(_ name: String, _ member: String, _ json: String) -> String { #"{"name":"\#(name)","\#(member)":\#(json)}"# }

    private mutating func add(_ type: String, _ path: String, _ parts: [String] = []) {
        let all = [Self.part("type", "valueCode", "\"\(type)\""), Self.part("path", "valueString", JSONText.string(path))] + parts
        operations.append(#"{"name":"operation","part":[\#(all.joined(separator: ","))]}"#)
    }
}

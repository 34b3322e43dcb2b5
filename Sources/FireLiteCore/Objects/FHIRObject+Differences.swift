/// An element that differs between two states of an object.
public struct ElementDifference: Sendable, Hashable {
    /// The FHIR path below the object: `name[0].given[1]`. Positions are those in the later state; for removed elements, those in the
    /// earlier one.
    public let path: String
    /// The element's earlier JSON; nil if it was added.
    public let old: String?
    /// The element's later JSON; nil if it was removed.
    public let new: String?

    /// A difference between two values as JSON.
    package init(path: String, old: String?, new: String?) {
        self.path = path
        self.old = old
        self.new = new
    }
}

extension FHIRObject {
    /// The elements that differ in a later state of this object: the innermost of those in both states, and whole elements in only one.
    ///
    /// ```swift
    /// for difference in before.differences(to: after) { print(difference.path, difference.old ?? "–", difference.new ?? "–") }
    /// ```
    /// In lists, equal elements at the beginning and the end are skipped; the others are compared by position.
    /// - Precondition: both have the same class.
    public final func differences(to later: FHIRObject) -> [ElementDifference] {
        misuse(
            unless: layoutTable == later.layoutTable,
            "differences(to:) compares two states of one object, not a \(layout.name) and a \(later.layout.name)")
        var finder = DifferenceFinder()
        finder.compare(self, later, "")
        return finder.differences
    }
}

/// Walks through two states of an object.
private struct DifferenceFinder {
    var differences: [ElementDifference] = []

    private mutating func note(_ path: String, _ old: String?, _ new: String?) {
        differences.append(ElementDifference(path: path, old: old, new: new))
    }

    mutating func compare(_ old: FHIRObject, _ new: FHIRObject, _ path: String) {
        for element in old.layout.elements {
            let name = path.isEmpty ? element.name : path + "." + element.name
            compare(old.value(element.slot), new: new.value(element.slot), element: element, path: name)
        }
    }

    private mutating func compare(_ old: SlotValue?, new: SlotValue?, element: LayoutElement, path: String) {
        let (first, second) = (Value(old), Value(new))
        if element.isList {
            return compareLists(first, new: second, element: element, path: path)
        }
        compareOne(first.item(0), new: second.item(0), element: element, path: path)
    }

    private mutating func compareLists(_ old: Value, new: Value, element: LayoutElement, path: String) {
        var start = 0
        while start < old.count, start < new.count, old.item(start).isSame(as: new.item(start)) { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old.item(oldEnd - 1).isSame(as: new.item(newEnd - 1)) {
            oldEnd -= 1
            newEnd -= 1
        }
        for index in start..<max(oldEnd, newEnd) {
            compareOne(
                index < oldEnd ? old.item(index) : Item(), new: index < newEnd ? new.item(index) : Item(), element: element,
                path: "\(path)[\(index)]")
        }
    }

    private mutating func compareOne(_ old: Item, new: Item, element: LayoutElement, path: String) {
        if let first = old.object, let second = new.object, first.layoutTable == second.layoutTable, element.kind != .primitive {
            return compare(first, second, path)
        }
        if element.kind != .primitive {
            guard !old.isSame(as: new) else { return }
            return note(path, old.object.map { FHIRJSON.string($0) }, new.object.map { FHIRJSON.string($0) })
        }
        let type = element.primitive ?? .string
        let (first, second) = (old.text(type), new.text(type))
        if first.map(ExactText.init) != second.map(ExactText.init) {
            note(path, first.map { JSONText.primitive($0, type) }, second.map { JSONText.primitive($0, type) })
        }
        switch (old.object, new.object) {
        case (nil, nil): return
        case (let first?, let second?): compare(first, second, path)
        case (let first, let second): compare(first ?? emptyElement(of: second), second ?? emptyElement(of: first), path)
        }
    }

    private func emptyElement(of other: FHIRObject?) -> FHIRObject {
        // Invariant: one of the two is there.
        guard let other else { preconditionFailure("an element without an object") }
        return other.layout.makeObject()
    }

    /// One position: a complex element, or a primitive with its `Element`.
    private struct Item {
        var value: SlotValue?
        var literal: String?
        var object: FHIRObject?

        func text(_ type: PrimitiveType) -> String? { literal ?? value.flatMap { $0.literal(type) } }

        func isSame(as other: Item) -> Bool {
            let hasSameObject =
                switch (object, other.object) {
                case (nil, nil): true
                case (let first?, let second?): first == second
                default: false
                }
            guard hasSameObject, literal.map(ExactText.init) == other.literal.map(ExactText.init) else { return false }
            switch (value, other.value) {
            case (nil, nil): return true
            case (let first?, let second?): return first.hasSameContent(as: second)
            default: return false
            }
        }
    }

    /// The content of a slot, as positions.
    private struct Value {
        private let items: [Item]

        init(_ value: SlotValue?) {
            switch value {
            case nil: items = []
            case .word, .text: items = [Item(value: value)]
            case .object(let object): items = [Item(object: object)]
            case .objects(let objects): items = objects.map { Item(object: $0) }
            case .texts(let texts): items = texts.map { Item(literal: $0) }
            case .annotated(let primitive): items = [Item(value: primitive.value, object: primitive.element)]
            case .annotatedTexts(let list): items = zip(list.texts, list.elements).map { Item(literal: $0, object: $1) }
            }
        }

        var count: Int { items.count }

        func item(_ index: Int) -> Item { index < items.count ? items[index] : Item() }
    }
}

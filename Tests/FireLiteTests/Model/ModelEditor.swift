import FireLite

@testable import TestSupport

/// Changes an object and its model alike, by a random edit.
struct ModelEditor {
    var random: RandomInstance
    /// Ids that resources get, few enough to meet.
    static let ids = ["a", "b", "c", "d"]

    /// Edits a random place in the object and returns what was done.
    mutating func edit(_ object: FHIRObject, _ node: inout ModelNode, strangers: [FHIRObject]) -> String {
        // Down to some object in it.
        if random.generator.percent(60), let (slot, index) = someChild(of: node) {
            switch (object.value(slot), node.fields[slot]) {
            case (.object(let child)?, .node(var childNode)?):
                let step = edit(child, &childNode, strangers: strangers)
                node.fields[slot] = .node(childNode)
                return "\(name(slot, object)).\(step)"
            case (.objects(let children)?, .nodes(var childNodes)?):
                let step = edit(children[index], &childNodes[index], strangers: strangers)
                node.fields[slot] = .nodes(childNodes)
                return "\(name(slot, object))[\(index)].\(step)"
            default: return "nothing"
            }
        }
        let isResource = object.layout.isResource
        let elements = object.layout.elements.filter { $0.name != "extension" && (!isResource || $0.slot > 0 || object.ownerObject == nil) }
        let used = elements.filter { node.fields[$0.slot] != nil }
        let element = random.generator.pick(used.isEmpty || random.generator.percent(40) ? elements : used)
        switch (element.kind, element.isList) {
        case (.primitive, false): return setPrimitive(element, object, &node)
        case (.primitive, true): return setPrimitives(element, object, &node)
        case (_, false): return setChild(element, object, &node, strangers)
        case (_, true): return setChildren(element, object, &node, strangers)
        }
    }

    private func name(_ slot: Int, _ object: FHIRObject) -> String { object.layout.elements[slot].name }

    private mutating func someChild(of node: ModelNode) -> (Int, Int)? {
        let places = node.fields.keys.sorted().flatMap { slot -> [(Int, Int)] in
            switch node.fields[slot] {
            case .node: [(slot, 0)]
            case .nodes(let nodes): nodes.indices.map { (slot, $0) }
            default: []
            }
        }
        return places.isEmpty ? nil : random.generator.pick(places)
    }

    private func clearOtherChoices(_ element: LayoutElement, _ node: inout ModelNode) {
        for slot in element.choice?.slots ?? element.slot..<element.slot where slot != element.slot { node.fields[slot] = nil }
    }

    // MARK: - Primitives

    private mutating func setPrimitive(_ element: LayoutElement, _ object: FHIRObject, _ node: inout ModelNode) -> String {
        var kept: ModelNode?
        if case .primitive(let place)? = node.fields[element.slot] { kept = place.element }
        guard let type = element.primitive, !random.generator.percent(20) else {
            object._setString(element.slot, nil)
            node.fields[element.slot] = kept.map { .primitive(ModelValue.Place(text: nil, element: $0)) }
            return "\(element.name) = nil"
        }
        let isID = object.layout.isResource && element.slot == 0
        let literal = isID ? random.generator.pick(Self.ids) : random.value(of: type, binding: nil, nil)
        random.setValue(literal, type, element.slot, of: object)
        // How the type writes the literal, which the reader decides.
        let text = object.plainValue(element.slot)?.literal(type) ?? literal
        clearOtherChoices(element, &node)
        node.fields[element.slot] = .primitive(ModelValue.Place(text: text, element: kept))
        return "\(element.name) = \(text.debugDescription)"
    }

    private mutating func setPrimitives(_ element: LayoutElement, _ object: FHIRObject, _ node: inout ModelNode) -> String {
        var texts = object._strings(element.slot)
        let step: String
        switch random.generator.int(0...8) {
        case 0 where !texts.isEmpty: step = "removeLast"; texts.removeLast()
        case 1 where !texts.isEmpty: step = "removeFirst"; texts.removeFirst()
        case 2: step = "reverse"; texts.reverse()
        case 3: step = "clear"; texts = []
        case 4 where !texts.isEmpty: step = "repeat"; texts.append(random.generator.pick(texts))
        case 5 where !texts.isEmpty: step = "shuffle"; texts.shuffle(using: &random.generator)
        case 6 where !texts.isEmpty:
            step = "replace"
            let text = random.value(of: element.primitive ?? .string, binding: nil, nil)
            texts[random.generator.int(0...texts.count - 1)] =
                SlotValue(literal: text, element.primitive ?? .string)?.literal(element.primitive ?? .string) ?? text
        default:
            step = "insert"
            let text = random.value(of: element.primitive ?? .string, binding: nil, nil)
            let literal = SlotValue(literal: text, element.primitive ?? .string)?.literal(element.primitive ?? .string) ?? text
            texts.insert(literal, at: random.generator.int(0...texts.count))
        }
        object._setStrings(element.slot, texts)
        if let old = node.fields[element.slot] {
            node.fields[element.slot] = old.replacing(with: texts)
        } else if !texts.isEmpty {
            node.fields[element.slot] = .primitives(texts.map { ModelValue.Place(text: $0) })
        }
        return "\(element.name).\(step) -> \(texts.count)"
    }

    // MARK: - Elements

    /// A new element, or one that has an owner already and so has to be copied.
    private mutating func value(for element: LayoutElement, _ object: FHIRObject, _ strangers: [FHIRObject]) -> (
        FHIRObject, ModelNode, String
    ) {
        if random.generator.percent(25), let type = element.type {
            let fitting = strangers.flatMap { owner -> [FHIRObject] in
                var found: [FHIRObject] = []
                owner.forEachSlot { slot in slot.value.forEachChild { if Swift.type(of: $0) == type { found.append($0) } } }
                return found
            }
            if !fitting.isEmpty {
                let taken = random.generator.pick(fitting)
                return (taken, ModelNode(taken).copied, "another's")
            }
        }
        let child = random.makeChild(element, of: object)
        if random.generator.percent(30) { _ = child.pk }
        return (child, ModelNode(child), "new")
    }

    private mutating func setChild(
        _ element: LayoutElement, _ object: FHIRObject, _ node: inout ModelNode, _ strangers: [FHIRObject]
    ) -> String {
        if random.generator.percent(25) {
            object._setObject(element.slot, nil as FHIRObject?)
            node.fields[element.slot] = nil
            return "\(element.name) = nil"
        }
        let (child, childNode, origin) = value(for: element, object, strangers)
        if case .object(let own)? = object.value(element.slot), own === child { return "nothing" }
        if element.kind == .object, random.generator.percent(40) {
            object._upsert(element.slot, child)
            clearOtherChoices(element, &node)
            if case .node(let old)? = node.fields[element.slot] {
                node.fields[element.slot] = .node(old.populated(from: childNode))
            } else {
                node.fields[element.slot] = .node(childNode.copied)
            }
            return "upsert(\(element.name): \(origin))"
        }
        object._setObject(element.slot, child)
        clearOtherChoices(element, &node)
        node.fields[element.slot] = .node(childNode)
        return "\(element.name) = \(origin)"
    }

    private mutating func setChildren(
        _ element: LayoutElement, _ object: FHIRObject, _ node: inout ModelNode, _ strangers: [FHIRObject]
    ) -> String {
        let slot = element.slot
        var list: [FHIRObject] = object._objects(slot)
        var nodes: [ModelNode] = []
        if case .nodes(let known)? = node.fields[slot] { nodes = known }
        let step: String
        switch list.isEmpty ? 0 : random.generator.int(0...8) {
        case 1:
            let index = random.generator.int(0...list.count - 1)
            step = "remove(at: \(index))"
            list.remove(at: index)
            nodes.remove(at: index)
        case 2:
            let (first, second) = (random.generator.int(0...list.count - 1), random.generator.int(0...list.count - 1))
            step = "swapAt(\(first), \(second))"
            list.swapAt(first, second)
            nodes.swapAt(first, second)
        case 3:
            step = "reverse"
            list.reverse()
            nodes.reverse()
        case 4:
            // Out and in again, by two setters of one write.
            let (from, to) = (random.generator.int(0...list.count - 1), random.generator.int(0...list.count - 1))
            step = "move(\(from) to \(to))"
            let moved = list.remove(at: from)
            object._setObjects(slot, list)
            list.insert(moved, at: to)
            nodes.insert(nodes.remove(at: from), at: to)
        case 5:
            let order = list.indices.shuffled(using: &random.generator)
            step = "sort into \(order)"
            list = order.map { list[$0] }
            nodes = order.map { nodes[$0] }
        case 6:
            let index = random.generator.int(0...list.count - 1)
            step = "append a second [\(index)]"
            list.append(list[index])
            nodes.append(nodes[index].copied)
        default:
            let (child, childNode, origin) = value(for: element, object, strangers)
            let index = random.generator.int(0...list.count)
            step = "insert \(origin) at \(index)"
            list.insert(child, at: index)
            // What belongs to this list already is taken for what is listed, its second place for the copy.
            if list.filter({ $0 === child }).count > 1, let known = list.firstIndex(where: { $0 === child }), known == index,
                let old = nodes.indices.first(where: { $0 >= index && list[$0 + 1] === child })
            {
                nodes.insert(nodes[old], at: index)
                nodes[old + 1] = nodes[old + 1].copied
            } else {
                nodes.insert(childNode, at: index)
            }
        }
        object._setObjects(slot, list)
        node.fields[slot] = nodes.isEmpty ? nil : .nodes(nodes)
        return "\(element.name).\(step)"
    }
}

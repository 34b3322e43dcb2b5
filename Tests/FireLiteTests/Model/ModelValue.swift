import FireLite

/// What a slot of a `ModelNode` holds.
indirect enum ModelValue {
    /// A primitive's literal and its `Element`.
    struct Place {
        var text: String?
        var element: ModelNode?
    }

    case primitive(Place)
    case primitives([Place])
    case node(ModelNode)
    case nodes([ModelNode])

    init(_ value: SlotValue, _ element: LayoutElement) {
        let type = element.primitive ?? .string
        switch value {
        case .word, .text: self = .primitive(Place(text: value.literal(type)))
        case .annotated(let primitive):
            self = .primitive(Place(text: primitive.value?.literal(type), element: ModelNode(primitive.element)))
        case .texts(let texts): self = .primitives(texts.map { Place(text: $0) })
        case .annotatedTexts(let list):
            self = .primitives(
                zip(list.texts, list.elements).map { text, element in
                    var node = element.map { ModelNode($0) }
                    // These are told by their place, which moves with the values.
                    node?.pk = nil
                    return Place(text: text, element: node)
                })
        case .object(let child): self = .node(ModelNode(child))
        case .objects(let children): self = .nodes(children.map { ModelNode($0) })
        }
    }

    // MARK: - Rules

    var copied: ModelValue {
        switch self {
        case .primitive(let place): .primitive(Place(text: place.text, element: place.element?.copied))
        case .primitives(let places): .primitives(places.map { Place(text: $0.text, element: $0.element?.copied) })
        case .node(let node): .node(node.copied)
        case .nodes(let nodes): .nodes(nodes.map(\.copied))
        }
    }

    func populated(from source: ModelValue) -> ModelValue {
        switch (self, source) {
        case (.node(let mine), .node(let theirs)) where mine.typeName == theirs.typeName: return .node(mine.populated(from: theirs))
        case (.nodes(let mine), .nodes(let theirs)):
            return .nodes(
                theirs.enumerated().map { index, node in
                    index < mine.count && mine[index].typeName == node.typeName ? mine[index].populated(from: node) : node.copied
                })
        case (.primitive(let mine), .primitive(let theirs)):
            guard let own = mine.element, let other = theirs.element else { return source.copied }
            return .primitive(Place(text: theirs.text, element: own.populated(from: other)))
        default: return difference(from: source.copied, at: "") == nil ? self : source.copied
        }
    }

    /// A list of primitives with other values: elements follow their values, by the rules that `AnnotatedList.withValues` has, told here value
    /// by value.
    func replacing(with texts: [String]) -> ModelValue? {
        guard case .primitives(let places) = self else { return nil }
        func isSame(_ first: String?, _ second: String?) -> Bool { first.map { Array($0.utf8) } == second.map { Array($0.utf8) } }
        let old = places.filter { $0.text != nil }
        var origin = [Int?](repeating: nil, count: texts.count)
        func isFree(_ index: Int) -> Bool { !origin.contains(index) }
        var start = 0
        while start < old.count, start < texts.count, isSame(old[start].text, texts[start]) {
            origin[start] = start
            start += 1
        }
        for back in 1..<max(min(old.count, texts.count) - start + 1, 1) {
            guard isSame(old[old.count - back].text, texts[texts.count - back]) else { break }
            origin[texts.count - back] = old.count - back
        }
        for index in texts.indices where origin[index] == nil {
            origin[index] = old.indices.first { isFree($0) && isSame(old[$0].text, texts[index]) }
        }
        for index in texts.indices where origin[index] == nil && old.count == texts.count {
            let isNew = !old.contains { isSame($0.text, texts[index]) }
            if isNew, !texts.contains(where: { isSame($0, old[index].text) }) { origin[index] = index }
        }
        for index in old.indices where isFree(index) && old[index].element != nil {
            let plain = texts.indices.first { isSame(texts[$0], old[index].text) && origin[$0].map { old[$0].element == nil } ?? false }
            if let plain { origin[plain] = index }
        }
        // Nulls one by one behind the nearest value before them that is still there.
        var result = texts.indices.map { index in
            (origin: origin[index], place: Place(text: texts[index], element: origin[index].flatMap { old[$0].element }))
        }
        for (position, place) in places.enumerated().reversed() where place.text == nil {
            let before = places[..<position].count { $0.text != nil }
            let anchor = (0..<before).reversed().lazy.compactMap { number in result.firstIndex { $0.origin == number } }.first
            result.insert((nil, place), at: anchor.map { $0 + 1 } ?? 0)
        }
        return result.isEmpty ? nil : .primitives(result.map(\.place))
    }

    var isHollow: Bool {
        switch self {
        case .primitive(let place): place.text == nil && place.element?.isHollow ?? true
        case .primitives(let places): places.isEmpty
        case .node(let node): node.isHollow
        case .nodes(let nodes): nodes.allSatisfy(\.isHollow)
        }
    }

    // MARK: - Comparing

    func difference(from actual: ModelValue, at path: String) -> String? {
        switch (self, actual) {
        case (.primitive(let mine), .primitive(let theirs)): return Self.difference(mine, theirs, at: path)
        case (.primitives(let mine), .primitives(let theirs)):
            if mine.count != theirs.count { return "\(path) has \(theirs.count) values, not \(mine.count)" }
            return zip(mine, theirs).enumerated().lazy.compactMap { Self.difference($1.0, $1.1, at: "\(path)[\($0)]") }.first
        case (.node(let mine), .node(let theirs)): return mine.difference(from: theirs, at: path)
        case (.nodes(let mine), .nodes(let theirs)):
            if mine.count != theirs.count { return "\(path) has \(theirs.count) items, not \(mine.count)" }
            return zip(mine, theirs).enumerated().lazy.compactMap { $1.0.difference(from: $1.1, at: "\(path)[\($0)]") }.first
        default: return "\(path) is of another kind"
        }
    }

    private static func difference(_ mine: Place, _ theirs: Place, at path: String) -> String? {
        let isSame = mine.text.map { Array($0.utf8) } == theirs.text.map { Array($0.utf8) }
        if !isSame { return "\(path) is \(theirs.text.debugDescription), not \(mine.text.debugDescription)" }
        switch (mine.element, theirs.element) {
        case (nil, nil): return nil
        case (let mine?, let theirs?): return mine.difference(from: theirs, at: "\(path)._")
        case (let one?, nil), (nil, let one?): return one.isHollow ? nil : "\(path) has or lacks an Element"
        }
    }

    func walk(_ body: (ModelNode, Bool) -> Void) {
        switch self {
        case .primitive(let place): place.element?.walk(isListed: false, body)
        case .primitives: break
        case .node(let node): node.walk(isListed: false, body)
        case .nodes(let nodes): for node in nodes { node.walk(isListed: true, body) }
        }
    }
}

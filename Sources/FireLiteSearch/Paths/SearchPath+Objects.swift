import FireLite

// Paths in resources in memory, for includes.

extension SearchPath {
    /// The elements at the path in a resource.
    func objects(in object: FHIRObject) -> [FHIRObject] {
        var current = [object]
        for filter in filters {
            current = current.flatMap { Self.objects(filter.path.steps, in: $0) }.filter { filter.condition.holds(on: $0) }
        }
        return current.flatMap { Self.objects(steps, in: $0) }
    }

    /// The texts at the path in a resource.
    func texts(in object: FHIRObject) -> [String] {
        guard let last = steps.last else { return [] }
        var current = [object]
        for filter in filters {
            current = current.flatMap { Self.objects(filter.path.steps, in: $0) }.filter { filter.condition.holds(on: $0) }
        }
        return current.flatMap { Self.objects(steps.dropLast(), in: $0) }.flatMap { owner -> [String] in
            owner.layout.elements[last.slot].isList ? owner._strings(last.slot) : owner._string(last.slot).map { [$0] } ?? []
        }
    }

    fileprivate static func objects(_ steps: [PathStep], in object: FHIRObject) -> [FHIRObject] {
        var current = [object]
        for step in steps {
            current = current.flatMap { object -> [FHIRObject] in
                switch object.value(step.slot) {
                case .object(let child)?: [child]
                case .objects(let children)?:
                    step.position.map { children.indices.contains($0) ? [children[$0]] : [] } ?? children
                default: []
                }
            }
        }
        return current
    }
}

extension Predicate {
    /// Whether a filter of a path holds on an element; filters compare elements with literals.
    fileprivate func holds(on object: FHIRObject) -> Bool {
        switch self {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy { $0.holds(on: object) }
        case .or(let parts): return parts.contains { $0.holds(on: object) }
        case .not(let inner): return !inner.holds(on: object)
        case .exists(let path):
            guard let last = path.steps.last else { return true }
            return SearchPath.objects(path.steps.dropLast(), in: object).contains { $0.value(last.slot) != nil }
        case .any(let path, let inner): return SearchPath.objects(path.steps, in: object).contains { inner.holds(on: $0) }
        case .value(let path, .compare(.equal, let value)):
            guard let last = path.steps.last else { return false }
            return SearchPath.objects(path.steps.dropLast(), in: object).contains { owner in
                switch (owner.plainValue(last.slot), value) {
                case (.text(let text)?, .text(let wanted)): text == wanted
                case (.word(let word)?, .integer(let wanted)): word == wanted
                case (.texts(let texts)?, .text(let wanted)): texts.contains(wanted)
                default: false
                }
            }
        default: return false
        }
    }
}

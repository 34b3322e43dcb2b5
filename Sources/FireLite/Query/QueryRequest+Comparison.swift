import FireLiteCore

extension QueryRequest {
    /// Whether another request asks for the same resources in the same order. Requests of different wording count as different.
    package func asksTheSame(as other: QueryRequest) -> Bool {
        guard layout === other.layout, restriction === other.restriction else { return false }
        guard limit == other.limit, offset == other.offset, cursor == other.cursor, sections == other.sections else { return false }
        switch (container, other.container) {
        case (nil, nil): break
        case (let first?, let second?):
            guard first.layout === second.layout, first.predicate.isSame(as: second.predicate) else { return false }
        default: return false
        }
        return predicate.isSame(as: other.predicate) && sort.elementsEqual(other.sort) { $0.isSame(as: $1) }
    }
}

extension SortKey {
    fileprivate func isSame(as other: SortKey) -> Bool {
        isDescending == other.isDescending && nulls == other.nulls && paths.elementsEqual(other.paths) { $0.isSame(as: $1) }
    }
}

extension SortPath {
    fileprivate func isSame(as other: SortPath) -> Bool {
        path == other.path && filters.elementsEqual(other.filters) { $0.path == $1.path && $0.condition.isSame(as: $1.condition) }
    }
}

extension Predicate {
    /// Whether another predicate is written in the same way.
    fileprivate func isSame(as other: Predicate) -> Bool {
        switch (self, other) {
        case (.constant(let first), .constant(let second)): first == second
        case (.value(let path, let first), .value(let otherPath, let second)): path == otherPath && first == second
        case (.sampled(let path, let bound, let way, let first), .sampled(let otherPath, let otherBound, let otherWay, let second)):
            path == otherPath && bound == otherBound && way == otherWay && first == second
        case (.exists(let first), .exists(let second)): first == second
        case (.any(let path, let first), .any(let otherPath, let second)): path == otherPath && first.isSame(as: second)
        case (.count(let path, let way, let first), .count(let otherPath, let otherWay, let second)):
            path == otherPath && way == otherWay && first == second
        case (.refers(let path, let first), .refers(let otherPath, let second)): path == otherPath && first == second
        case (.target(let path, let layout, let first), .target(let otherPath, let otherLayout, let second)):
            path == otherPath && layout === otherLayout && first.isSame(as: second)
        case (.referredBy(let layout, let path, let first), .referredBy(let otherLayout, let otherPath, let second)):
            path == otherPath && layout === otherLayout && first.isSame(as: second)
        case (.keys(let first), .keys(let second)): first == second
        case (.selected(let first), .selected(let second)): first.isSame(as: second)
        case (.contains(let layout, let first), .contains(let otherLayout, let second)):
            layout === otherLayout && first.isSame(as: second)
        case (.named(let name, let layout, let first, let isMade), .named(let otherName, let otherLayout, let second, let isOtherMade)):
            name == otherName && layout === otherLayout && isMade == isOtherMade && first.isSame(as: second)
        case (.matching(let first), .matching(let second)): first == second
        case (.and(let first), .and(let second)), (.or(let first), .or(let second)):
            first.elementsEqual(second) { $0.isSame(as: $1) }
        case (.not(let first), .not(let second)): first.isSame(as: second)
        default: false
        }
    }
}

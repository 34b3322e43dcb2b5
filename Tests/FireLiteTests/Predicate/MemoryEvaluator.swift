import FireLiteCore
import Foundation

@testable import FireLite

/// Evaluates predicates over objects in memory, step by step as the rules are written: what the engine's answers are compared with.
struct MemoryEvaluator {
    /// What a path leads to.
    enum Item {
        case object(FHIRObject)
        /// A primitive: its literal and the `Element` beside it.
        case value(String?, PrimitiveType, FHIRObject?)
    }

    let release: FHIRRelease

    func holds(_ predicate: FireLite.Predicate, _ item: Item) -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy { holds($0, item) }
        case .or(let parts): return parts.contains { holds($0, item) }
        case .not(let inner): return !holds(inner, item)
        case .value(let path, let test): return items(path, item).contains { passes(test, $0) }
        case .exists(let path): return items(path, item).contains { isPresent($0) }
        case .any(let path, let inner): return items(path, item).contains { isPresent($0) && holds(inner, $0) }
        case .count(let path, let comparison, let number):
            return compare(items(path, item).count { isPresent($0) }, comparison, number)
        case .refers(let path, let texts):
            return items(path, item).contains { item in
                guard case .object(let object) = item, let element = object.layout.element(named: "reference"),
                    case .text(let text)? = object.plainValue(element.slot)
                else { return false }
                let parts = ReferenceParts(text)
                if parts.form == .uuid || texts.contains(text) { return texts.contains(text) }
                // The stores of these tests know no base address.
                guard parts.form == .relative, let type = parts.type else { return false }
                return texts.contains("\(type)/\(parts.id ?? "")")
            }
        case .target, .referredBy, .contains, .matching, .named, .keys, .selected, .sampled: return false
        }
    }

    private func compare<Value: Comparable>(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool {
        switch comparison {
        case .equal: left == right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    func isPresent(_ item: Item) -> Bool {
        switch item {
        case .object(let object): object.hasContent
        case .value(let literal, _, _): literal != nil
        }
    }

    // MARK: - Paths

    func items(_ path: QueryPath, _ start: Item) -> [Item] {
        var items = [start]
        for step in path.steps { items = items.flatMap { follow(step, $0) } }
        return items
    }

    private func follow(_ step: PathStep, _ item: Item) -> [Item] {
        if step.kind == .annotation {
            guard case .value(_, _, let element?) = item else { return [] }
            return [.object(element)]
        }
        guard case .object(let object) = item else { return [] }
        let element = object.layout.elements[step.slot]
        if let choice = element.choice, step.position == PathStep.wholeChoice {
            return choice.slots.flatMap { follow(PathStep(slot: $0), item) }
        }
        let primitive = element.primitive ?? .string
        var found: [Item] = []
        switch object.value(step.slot) {
        case nil: break
        case .object(let child): found = [.object(child)]
        case .objects(let children): found = children.map { .object($0) }
        case .texts(let texts): found = texts.map { .value($0, primitive, nil) }
        case .annotatedTexts(let list): found = zip(list.texts, list.elements).map { .value($0, primitive, $1) }
        case .annotated(let annotated): found = [.value(annotated.value?.literal(primitive), primitive, annotated.element)]
        case .some(let plain): found = [.value(plain.literal(primitive), primitive, nil)]
        }
        if let position = step.position, position >= 0, element.isList { found = found.indices.contains(position) ? [found[position]] : [] }
        if case .resource(let type) = step.kind {
            found = found.filter { if case .object(let object) = $0 { object.layout.name == type } else { false } }
        }
        return found
    }

    // MARK: - Values

    private func passes(_ test: ValueTest, _ item: Item) -> Bool {
        guard case .value(let literal?, let type, _) = item else { return false }
        switch test {
        case .compare(let comparison, let value): return compare(ComparedValue(literal, type), comparison, ComparedValue(value))
        case .oneOf(let values): return values.contains { ComparedValue(literal, type) == ComparedValue($0) }
        case .between(let lower, let upper):
            let value = ComparedValue(literal, type)
            return value >= ComparedValue(lower) && value <= ComparedValue(upper)
        case .date(let comparison, let bounds, let overlapping):
            guard let stored = Interval(literal), let asked = Interval(bounds.text) else { return false }
            return overlapping ? stored.overlaps(comparison, asked) : stored.lies(comparison, asked)
        case .dateOneOf(let dates): return dates.contains { passes(.date(.equal, $0, overlapping: false), item) }
        case .referenceType(let name): return ReferenceParts(literal).form == .uuid || ReferenceParts(literal).type.map { "\($0)" } == name
        case .referenceTo(let type, let id):
            let parts = ReferenceParts(literal)
            return parts.id == id && (parts.form == .uuid || parts.type == type)
        case .hasTime(let hasTime): return literal.contains("T") == hasTime
        case .text(let way, let text, let folding): return Self.matches(Self.fold(literal, folding), way, text)
        }
    }

    static func fold(_ text: String, _ folding: TextFolding) -> String {
        var options: String.CompareOptions = []
        if folding.contains(.ignoringCase) { options.insert(.caseInsensitive) }
        if folding.contains(.ignoringAccents) { options.insert(.diacriticInsensitive) }
        return options.isEmpty ? text : text.folding(options: options, locale: nil)
    }

    private static func matches(_ text: String, _ way: TextOperator, _ pattern: String) -> Bool {
        let (bytes, wanted) = (Array(text.utf8), Array(pattern.utf8))
        switch way {
        case .equal: return bytes == wanted
        case .hasPrefix: return bytes.starts(with: wanted)
        case .hasSuffix: return bytes.reversed().starts(with: wanted.reversed())
        case .contains:
            if wanted.isEmpty { return true }
            return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
        case .like: return isLike(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
        }
    }

    private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "%" {
            return (text.startIndex...text.endIndex).contains { isLike(text[$0...], pattern.dropFirst()) }
        }
        guard let next = text.first, first == "_" || first == next else { return false }
        return isLike(text.dropFirst(), pattern.dropFirst())
    }

    // MARK: - Sorting

    /// The values that a path to sort by leads to.
    private func items(_ path: SortPath, _ start: Item) -> [Item] {
        let ends = path.filters.reduce([start]) { places, filter in
            places.flatMap { items(filter.path, $0) }.filter { holds(filter.condition, $0) }
        }
        return ends.flatMap { items(path.path, $0) }
    }

    /// The value of a resource that a key sorts by.
    func sortValue(_ key: SortKey, _ object: FHIRObject) -> ComparedValue? {
        let values = key.paths.flatMap { items($0, .object(object)) }.compactMap { item -> ComparedValue? in
            guard case .value(let literal?, let type, _) = item else { return nil }
            return ComparedValue(literal, type)
        }
        return key.isDescending ? values.max() : values.min()
    }

    /// Whether the first of two resources comes before the second; nil where the key does not tell.
    func precedes(_ key: SortKey, _ left: FHIRObject, _ right: FHIRObject) -> Bool? {
        switch (sortValue(key, left), sortValue(key, right)) {
        case (nil, nil): return nil
        case (nil, _?): return key.nulls == .first
        case (_?, nil): return key.nulls == .last
        case (let first?, let second?):
            if first == second { return nil }
            return (first < second) != key.isDescending
        }
    }
}

/// A value in SQL's order: numbers as numbers, dates by their fields in UTC, text by its bytes.
enum ComparedValue: Comparable {
    case number(Double)
    case date([Int], String)
    case text([UInt8])

    init(_ literal: String, _ type: PrimitiveType) {
        switch type {
        case .boolean: self = .number(literal == "true" ? 1 : 0)
        case .integer, .positiveInt, .unsignedInt, .integer64, .decimal: self = .number(Double(literal) ?? .nan)
        case .date, .dateTime, .instant, .time:
            let moment = Interval(literal)
            self = .date(moment?.fields ?? [], moment?.fraction ?? "")
        default: self = .text(Array(literal.utf8))
        }
    }

    init(_ value: SQLValue) {
        switch value {
        case .integer(let number): self = .number(Double(number))
        case .real(let number): self = .number(number)
        case .text(let text): self = .text(Array(text.utf8))
        default: self = .text([])
        }
    }

    static func < (left: ComparedValue, right: ComparedValue) -> Bool {
        switch (left, right) {
        case (.number(let first), .number(let second)): first < second
        case (.date(let first, let tail), .date(let second, let other)):
            first == second ? Array(tail.utf8).lexicographicallyPrecedes(Array(other.utf8)) : first.lexicographicallyPrecedes(second)
        case (.text(let first), .text(let second)): first.lexicographicallyPrecedes(second)
        default: false
        }
    }
}

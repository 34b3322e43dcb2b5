import FireLiteCore

/// Reads conditions and paths written as text: what `firelite find` takes.
///
/// `name.given=Joseph`, `birthDate<1970-01-01`, `name[0].family!=Smith`, `code.coding{system=http://loinc.org,code=8867-4}`,
/// `contained(Medication).code.text~aspirin`, `name.count>=2`, `birthDate=` (absent), `birthDate!=` (present),
/// `name.family="Miller, Smith"` and `code:in="a,b",c` with values in quotation marks (see `QuotedText`).
package struct PredicateParser {
    private let layout: Layout

    package init(_ layout: Layout) { self.layout = layout }

    private enum Relation: String, CaseIterable {
        // The longer ones first, for they begin like the shorter.
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case isIn = ":in="
        case hasPrefix = "^="
        case hasSuffix = "$="
        case like = "*="
        case equal = "="
        case less = "<"
        case greater = ">"
        case similar = "~"

        var comparison: Comparison? {
            switch self {
            case .equal, .notEqual: .equal
            case .less: .less
            case .lessOrEqual: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual: .greaterOrEqual
            default: nil
            }
        }
    }

    /// More braces within braces, or more steps of a path, than this are an error: neither has a meaning for resources that can be read.
    private static let deepest = 20
    private static let longestPath = 128

    private static func invalid(_ message: String) -> FHIRStoreError { FHIRStoreError(.invalidArgument, message) }

    // MARK: - Conditions

    /// The condition that a text says.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` for what is no condition on the type.
    package func condition(_ text: String) throws -> Predicate { try Self.condition(text, layout, depth: 0) }

    private static func condition(_ text: String, _ layout: Layout, depth: Int) throws -> Predicate {
        if let brace = text.firstIndex(of: "{"), text.last == "}", !text[..<brace].contains(where: { "=<>~".contains($0) }) {
            let end = try end(String(text[..<brace]), layout)
            guard case .object(let inner) = end.kind else {
                throw invalid("'\(text[..<brace])' is a primitive and has no elements to put in braces")
            }
            guard depth < deepest else { throw invalid("braces within braces are more than \(deepest) deep: ask several conditions") }
            let parts = try QuotedText.conditions(text[text.index(after: brace)...].dropLast())
            return .any(end.path, .and(try parts.map { try condition($0, inner, depth: depth + 1) }))
        }
        var start = text.startIndex
        while start < text.endIndex {
            if let relation = Relation.allCases.first(where: { text[start...].hasPrefix($0.rawValue) }) {
                let value = String(text[text.index(start, offsetBy: relation.rawValue.count)...])
                return try condition(String(text[..<start]), relation, value, layout)
            }
            start = text.index(after: start)
        }
        throw invalid("'\(text)' is no condition: write PATH=VALUE, or another of = != < <= > >= ~ ^= $= *= :in=")
    }

    private static func condition(_ path: String, _ relation: Relation, _ value: String, _ layout: Layout) throws -> Predicate {
        if path.hasSuffix(".count") {
            let counted = try end(String(path.dropLast(6)), layout)
            // `Timing.repeat` has an element of that name.
            if !counted.hasElement("count") { return try count(counted, relation, value, path) }
        }
        let end = try end(path, layout)
        if value.isEmpty, relation == .equal || relation == .notEqual {
            return relation == .equal ? .not(.exists(end.path)) : .exists(end.path)
        }
        guard case .primitive(let type) = end.kind else { throw invalid("\(path) is no primitive: name one of its elements") }
        let test = Predicate.value(end.path, try test(relation, relation == .isIn ? value : QuotedText.value(value), type, path))
        return relation == .notEqual ? .not(test) : test
    }

    private static func count(_ counted: End, _ relation: Relation, _ value: String, _ path: String) throws -> Predicate {
        guard let number = Int(value), let comparison = relation.comparison else {
            throw invalid("'\(value)' is no number of elements: write \(path)>=2, with one of = != < <= > >=")
        }
        let count = Predicate.count(counted.path, comparison, number)
        return relation == .notEqual ? .not(count) : count
    }

    private static func test(_ relation: Relation, _ value: String, _ type: PrimitiveType, _ path: String) throws -> ValueTest {
        switch relation {
        case .hasPrefix: return try text(.hasPrefix, value, [], type, path)
        case .hasSuffix: return try text(.hasSuffix, value, [], type, path)
        case .like: return try text(.like, value, [], type, path)
        case .similar where type.storage == .temporal: return .date(.equal, try date(value, path), overlapping: true)
        case .similar: return try text(.contains, value, .all, type, path)
        case .isIn:
            let values = try QuotedText.values(value)
            if type.storage == .temporal { return .dateOneOf(try values.map { try date($0, path) }) }
            return .oneOf(try values.map { try plain($0, type, path) })
        default:
            let comparison = relation.comparison ?? .equal
            if type.storage == .temporal { return .date(comparison, try date(value, path), overlapping: false) }
            return .compare(comparison, try plain(value, type, path))
        }
    }

    private static func text(_ way: TextOperator, _ value: String, _ folding: TextFolding, _ type: PrimitiveType, _ path: String) throws
        -> ValueTest
    {
        guard type.storage == .text else { throw invalid("\(path) is no text: compare it with = < > and the like") }
        return .text(way, TextMatcher.folded(value, folding), folding)
    }

    private static func date(_ value: String, _ path: String) throws -> DateBounds {
        guard let bounds = DateBounds(value) else { throw invalid("'\(value)' is no date or time, which \(path) is") }
        return bounds
    }

    private static func plain(_ value: String, _ type: PrimitiveType, _ path: String) throws -> SQLValue {
        switch type.storage {
        case .boolean where value == "true" || value == "false": return .integer(value == "true" ? 1 : 0)
        case .integer: if let number = Int64(value) { return .integer(number) }
        case .decimal: if let number = FHIRDecimal(value) { return .real(number.doubleValue) }
        case .text: return .text(value)
        default: break
        }
        throw invalid("'\(value)' is no \(type.name), which \(path) is")
    }

    // MARK: - Paths

    private struct End {
        enum Kind {
            case object(Layout)
            case primitive(PrimitiveType)
            case choice
        }
        let path: QueryPath
        let kind: Kind

        func hasElement(_ name: String) -> Bool {
            guard case .object(let layout) = kind else { return false }
            return layout.element(named: name) != nil
        }
    }

    /// The path that a text names: `name.given`, `name[0].given`, `contained(Medication).code`.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` where the type has no such element.
    package func path(_ text: String) throws -> QueryPath { try Self.end(text, layout).path }

    /// The path of a primitive, to sort by or to list.
    ///
    /// - Throws: `FHIRStoreError.invalidArgument` where the type has no such primitive.
    package func valuePath(_ text: String) throws -> QueryPath {
        let end = try Self.end(text, layout)
        guard case .primitive = end.kind else { throw Self.invalid("\(text) is no primitive: name one of its elements") }
        return end.path
    }

    private static func end(_ text: String, _ layout: Layout) throws -> End {
        var path = QueryPath()
        var kind = End.Kind.object(layout)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= longestPath else { throw invalid("a path of \(parts.count) elements: \(longestPath) are the most") }
        for part in parts {
            guard case .object(let owner) = kind else { throw invalid("\(text): before '.\(part)' is a primitive, which has no elements") }
            let name = part.prefix { $0 != "[" && $0 != "(" }
            guard let element = owner.element(named: String(name)) else {
                guard let choice = owner.elements.first(where: { $0.choice?.name == "\(name)[x]" })?.choice else {
                    throw invalid("\(owner.name) has no element '\(name)'")
                }
                path = path.appending(PathStep(slot: choice.slots.lowerBound, position: PathStep.wholeChoice))
                kind = .choice
                continue
            }
            var step = PathStep(slot: element.slot)
            let suffix = part.dropFirst(name.count)
            if suffix.first == "[" {
                let digits = suffix.dropFirst().dropLast()
                guard suffix.last == "]", digits.utf8.allSatisfy({ $0 &- 48 < 10 }), let position = Int(digits), element.isList else {
                    throw invalid("\(part) is no place in a list: write name[0] for the first of a list")
                }
                step.position = position
            } else if !suffix.isEmpty, element.kind != .resource {
                throw invalid("\(part) is no element: only what holds resources has a type in parentheses")
            }
            switch element.kind {
            case .primitive: kind = .primitive(element.primitive ?? .string)
            case .object: kind = .object(element.type?._layout ?? layout)
            case .resource:
                guard suffix.first == "(", suffix.last == ")",
                    let type = layout.release.resourceType(named: String(suffix.dropFirst().dropLast()))
                else { throw invalid("\(part) holds resources of several types: write \(name)(Patient)") }
                step.kind = .resource(ObjectIdentifier(type))
                kind = .object(type._layout)
            }
            path = path.appending(step)
        }
        return End(path: path, kind: kind)
    }
}

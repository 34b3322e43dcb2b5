import FireLiteCore

extension ConditionReader {
    /// The operator between a path and a value.
    enum Relation: String, CaseIterable {
        // The longer ones first, as they begin like the shorter ones.
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

    /// The right side of a relation.
    private enum Operand {
        /// Nothing: the element is absent, or present.
        case nothing
        case one(String)
        case several([String])
    }

    // MARK: - Conditions

    /// One condition, up to the end of its value or its braces.
    mutating func condition(_ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        if follows("has(") { return try referrers(subject, bounds, depth: depth) }
        let start = position
        var relation: Relation?
        while relation == nil, let next, next != "{", !isEndOfPath(bounds) {
            relation = Relation.allCases.first { follows($0.rawValue) }
            if relation == nil { position += 1 }
        }
        let end = position
        if next == "{", relation == nil { return try element(start..<end, subject, bounds, depth: depth) }
        guard let relation else {
            let text = text(start..<end)
            throw invalid("'\(text)' is not a condition: write PATH=VALUE, or another of = != < <= > >= ~ ^= $= *= :in=", at: start)
        }
        position += relation.rawValue.unicodeScalars.count
        let valueStart = position
        let operand = try operand(relation, bounds)
        return try condition(start..<end, relation: relation, operand: operand, at: valueStart, subject: subject)
    }

    /// A path ends where a value would; the parentheses of a type are part of it.
    private func isEndOfPath(_ bounds: Bounds) -> Bool {
        guard isEnd(at: position, bounds) else { return false }
        guard next == ")" else { return true }
        var index = position
        while index > 0 {
            index -= 1
            if scalars[index] == "(" { return index == 0 || !Self.isName(scalars[index - 1]) && scalars[index - 1] != "]" }
            if !Self.isName(scalars[index]) { return true }
        }
        return true
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "_") }

    /// `PATH{…}`: one element that meets all of the conditions; for a reference to a type, its target.
    private mutating func element(_ range: Range<Int>, _ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        let end = try path(range, subject.layout)
        guard case .object(let layout) = end.kind else {
            throw invalid("'\(text(range))' is a primitive, which has no elements to put in braces", at: range.lowerBound)
        }
        let isTarget = end.path.isEmpty
        let inner = try braces(Subject(layout: layout, isRoot: isTarget), bounds, depth: depth)
        return end.following(isTarget ? inner : .any(end.path, inner))
    }

    /// `has(Observation.subject){…}`: a stored resource that points here meets all of the conditions.
    private mutating func referrers(_ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        let start = position
        guard subject.isRoot else { throw invalid("has(…) applies to a resource as a whole: write it outside of the braces") }
        position += 4
        let inside = position
        guard let close = scalars[position...].firstIndex(of: ")"), let dot = scalars[position..<close].firstIndex(of: ".") else {
            throw invalid("write has(Type.element): the type that points here and its reference", at: start)
        }
        let name = text(inside..<dot)
        guard let type = subject.layout.release.resourceLayout(named: name) else {
            let release = subject.layout.release
            let hint = NearWords.hint(for: name, among: release.resourceTypeNames)
            throw invalid("'\(name)' is not a resource type of FHIR \(release.name)\(hint)", at: inside)
        }
        let end = try path(dot + 1..<close, type)
        guard end.targets.isEmpty, case .object(let layout) = end.kind, layout.name == "Reference" else {
            throw invalid("'\(text(dot + 1..<close))' is not a Reference", at: dot + 1)
        }
        position = close + 1
        guard next == "{" else {
            if !isEnd(at: position, bounds) {
                throw invalid("write the conditions of has(…) in braces: has(Observation.subject){status=final}")
            }
            return .referredBy(type, end.path, .constant(true))
        }
        return .referredBy(type, end.path, try braces(Subject(layout: type), bounds, depth: depth))
    }

    private func condition(
        _ range: Range<Int>, relation: Relation, operand: Operand, at place: Int, subject: Subject
    ) throws -> Predicate {
        let name = text(range)
        if name.hasSuffix(".count") {
            let counted = try path(range.lowerBound..<range.upperBound - 6, subject.layout)
            // `Timing.repeat` has an element of that name.
            if !counted.hasElement("count") { return try count(counted, relation: relation, operand: operand, name: name, at: place) }
        }
        let end = try path(range, subject.layout)
        if case .nothing = operand {
            let exists = end.following(end.path.isEmpty ? .constant(true) : .exists(end.path))
            return relation == .equal ? .not(exists) : exists
        }
        if case .object(let layout) = end.kind, layout.name == "Reference", !end.path.isEmpty {
            let refers = end.following(
                .refers(end.path, try references(relation, operand: operand, name: name, release: layout.release, at: place)))
            return relation == .notEqual ? .not(refers) : refers
        }
        guard case .primitive(let type) = end.kind else {
            throw invalid("\(name) is not a primitive: name one of its elements", at: range.lowerBound)
        }
        if !end.codes.isEmpty { try requireKnown(end.codes, relation: relation, operand: operand, name: name, at: place) }
        let test = end.following(.value(end.path, try test(relation, operand: operand, type: type, name: name, at: place)))
        return relation == .notEqual ? .not(test) : test
    }

    private func count(
        _ counted: PathEnd, relation: Relation, operand: Operand, name: String, at place: Int
    ) throws -> Predicate {
        guard case .one(let text) = operand, let number = Int(text), let comparison = relation.comparison else {
            throw invalid("expected a number of elements: write \(name)>=2, with one of = != < <= > >=", at: place)
        }
        let count = counted.following(.count(counted.path, comparison, number))
        return relation == .notEqual ? .not(count) : count
    }

    /// The texts to compare a Reference with.
    private func references(
        _ relation: Relation, operand: Operand, name: String, release: FHIRRelease, at place: Int
    ) throws -> [String] {
        let texts: [String]
        switch (relation, operand) {
        case (.equal, .one(let text)), (.notEqual, .one(let text)): texts = [text]
        case (.isIn, .several(let list)): texts = list
        default: throw invalid("\(name) is a Reference: compare it with =, != or :in=, or name one of its elements", at: place)
        }
        return try texts.flatMap { text in
            if text.contains(":") { return [text] }
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, release.hasResourceType(named: String(parts[0])), !parts[1].isEmpty else {
                throw invalid("'\(text)' is not a reference: write Type/id, or an absolute URL", at: place)
            }
            return Predicate.references(to: String(parts[0]), id: String(parts[1]))
        }
    }

    /// The number of codes that an error lists.
    private static let listedCodes = 12

    /// Refuses codes that no valid resource has, which would find nothing. A pattern finds them nevertheless.
    private func requireKnown(
        _ codes: [Substring], relation: Relation, operand: Operand, name: String, at place: Int
    ) throws {
        let values: [String]
        switch (relation, operand) {
        case (.equal, .one(let value)), (.notEqual, .one(let value)): values = [value]
        case (.isIn, .several(let list)): values = list
        default: return
        }
        guard let unknown = values.first(where: { value in !codes.contains { $0 == value } }) else { return }
        let known = codes.prefix(Self.listedCodes).joined(separator: ", ") + (codes.count > Self.listedCodes ? " …" : "")
        throw invalid("'\(unknown)' is none of the codes of \(name), which are \(known): \(name)*= searches for it nevertheless", at: place)
    }

    // MARK: - Tests of values

    private func test(
        _ relation: Relation, operand: Operand, type: PrimitiveType, name: String, at place: Int
    ) throws -> ValueTest {
        if case .several(let values) = operand {
            if type.storage == .temporal { return .dateOneOf(try values.map { try date($0, name, at: place) }) }
            return .oneOf(try values.map { try plain($0, type, name, at: place) })
        }
        guard case .one(let value) = operand else { throw invalid("a value is missing", at: place) }
        switch relation {
        case .hasPrefix: return try text(.hasPrefix, value: value, folding: [], type: type, name: name, at: place)
        case .hasSuffix: return try text(.hasSuffix, value: value, folding: [], type: type, name: name, at: place)
        case .like: return try text(.like, value: value, folding: [], type: type, name: name, at: place)
        case .similar where type.storage == .temporal: return .date(.equal, try date(value, name, at: place), overlapping: true)
        case .similar: return try text(.contains, value: value, folding: .all, type: type, name: name, at: place)
        default:
            let comparison = relation.comparison ?? .equal
            if type.storage == .temporal { return .date(comparison, try date(value, name, at: place), overlapping: false) }
            return .compare(comparison, try plain(value, type, name, at: place))
        }
    }

    private func text(
        _ way: TextOperator, value: String, folding: TextFolding, type: PrimitiveType, name: String, at place: Int
    ) throws -> ValueTest {
        guard type.storage == .text else { throw invalid("\(name) is not text: compare it with = != < <= > >=", at: place) }
        return .text(way, TextMatcher.folded(value, folding), folding)
    }

    private func date(_ value: String, _ name: String, at place: Int) throws -> DateBounds {
        guard let bounds = DateBounds(value) else { throw invalid("'\(value)' is not a date or time, which \(name) is", at: place) }
        return bounds
    }

    private func plain(_ value: String, _ type: PrimitiveType, _ name: String, at place: Int) throws -> SQLValue {
        switch type.storage {
        case .boolean where value == "true" || value == "false": return .integer(value == "true" ? 1 : 0)
        case .integer: if let number = Int64(value) { return .integer(number) }
        case .decimal: if let number = FHIRDecimal(value) { return .real(number.doubleValue) }
        case .text: return .text(value)
        default: break
        }
        throw invalid("'\(value)' is not a value of the type \(type.name), which \(name) has", at: place)
    }

    // MARK: - Values

    private mutating func operand(_ relation: Relation, _ bounds: Bounds) throws -> Operand {
        if isEnd(at: position, bounds), relation == .equal || relation == .notEqual { return .nothing }
        guard relation == .isIn else { return .one(try value(bounds, endsAtComma: false)) }
        var values: [String] = []
        while true {
            values.append(try value(bounds, endsAtComma: true))
            // In braces a comma begins the next condition, except before a quotation mark.
            guard next == ",", bounds.braces == .none || scalars[position + 1..<scalars.count].first == "\"" else {
                return .several(values)
            }
            position += 1
        }
    }

    /// One value: the text between quotation marks, or the text up to the bounds.
    private mutating func value(_ bounds: Bounds, endsAtComma: Bool) throws -> String {
        func isEnd(_ index: Int) -> Bool { self.isEnd(at: index, bounds) || (endsAtComma && scalars[index] == ",") }
        guard next == "\"" else {
            let start = position
            var index = position
            while !isEnd(index) { index += 1 }
            position = index
            return text(start..<index)
        }
        let opening = position
        position += 1
        var value = String.UnicodeScalarView()
        while let scalar = next {
            position += 1
            switch scalar {
            case "\"":
                guard isEnd(position) else {
                    throw invalid("there is text after the closing quotation mark: put \\ before a quotation mark inside the value")
                }
                return String(value)
            case "\\":
                guard let escaped = next, escaped == "\"" || escaped == "\\" else {
                    throw invalid(
                        "in a quoted value \\ must be followed by a quotation mark or another \\: write it twice", at: position - 1)
                }
                position += 1
                value.append(escaped)
            default: value.append(scalar)
            }
        }
        throw invalid("a quoted value has no closing quotation mark: put \\ before quotation marks inside it", at: opening)
    }
}

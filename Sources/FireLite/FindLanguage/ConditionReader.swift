import FireLiteCore

/// Reads the text of one argument, scalar by scalar, so that errors can name the position of the mistake.
///
/// By Unicode scalars: a quotation mark with an accent is still a quotation mark.
struct ConditionReader {
    /// The maximum depth of nested braces and parentheses; more make no sense for readable resources.
    static let deepest = 20

    /// Where an unquoted value ends before the end of the text.
    struct Bounds {
        enum Braces {
            case none
            /// The value is in braces that end with the text: only the last brace ends it.
            case outermost
            case inner
        }
        /// Whether spaces and a closing parenthesis end it.
        var isGroup = false
        /// Whether a comma, and which closing brace, ends it.
        var braces = Braces.none
    }

    /// The subject of a condition.
    struct Subject {
        let layout: Layout
        /// Whether it is a resource that is not contained in another.
        var isRoot = true
    }

    let scalars: [Unicode.Scalar]
    var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    // MARK: - Scalars

    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
    private var isAtEnd: Bool { position == scalars.count }

    func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    func follows(_ word: String) -> Bool { scalars[position...].starts(with: word.unicodeScalars) }

    mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    func isEnd(at index: Int, _ bounds: Bounds) -> Bool {
        guard index < scalars.count else { return true }
        let scalar = scalars[index]
        if bounds.isGroup, scalar == ")" || scalar.properties.isWhitespace { return true }
        switch bounds.braces {
        case .none: return false
        case .outermost: return scalar == "," || (scalar == "}" && index == scalars.count - 1)
        case .inner: return scalar == "," || scalar == "}"
        }
    }

    private mutating func skipBlanks() { while let next, next.properties.isWhitespace { position += 1 } }

    /// The error with the position of the mistake, in characters from 1, and the text around it.
    func invalid(_ message: String, at place: Int? = nil) -> FHIRStoreError {
        let place = min(place ?? position, scalars.count)
        let (start, end) = (max(0, place - 40), min(scalars.count, place + 40))
        let shown = (start > 0 ? "…" : "") + text(start..<end) + (end < scalars.count ? "…" : "")
        return FHIRStoreError(.invalidArgument, "\(message) (character \(place + 1) of '\(shown)')")
    }

    // MARK: - Expressions

    /// The whole text as a condition or expression.
    mutating func argument(_ layout: Layout) throws -> Predicate {
        let subject = Subject(layout: layout)
        guard beginsExpression else {
            let predicate = try condition(subject, Bounds(), depth: 0)
            if !isAtEnd { throw invalid("the braces end before the condition") }
            return predicate
        }
        let predicate = try expression(subject, Bounds(isGroup: true), depth: 0)
        skipBlanks()
        if !isAtEnd { throw unexpected }
        return predicate
    }

    private var unexpected: FHIRStoreError {
        if next == ")" { return invalid("a closing parenthesis has no opening one") }
        return invalid("expected 'and', 'or' or the end: put a value with spaces or parentheses in quotation marks")
    }

    var beginsExpression: Bool { next == "(" || word("not") != nil }

    /// The position after a word, if it stands here by itself.
    private func word(_ word: String) -> Int? {
        let end = position + word.unicodeScalars.count
        guard end <= scalars.count, text(position..<end).lowercased() == word else { return nil }
        return end == scalars.count || scalars[end] == "(" || scalars[end].properties.isWhitespace ? end : nil
    }

    private mutating func acceptWord(_ expected: String) -> Bool {
        skipBlanks()
        guard let end = word(expected) else { return false }
        position = end
        return true
    }

    mutating func expression(_ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        var alternatives = [try conjunction(subject, bounds, depth: depth)]
        while acceptWord("or") { alternatives.append(try conjunction(subject, bounds, depth: depth)) }
        return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
    }

    private mutating func conjunction(_ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        var parts = [try factor(subject, bounds, depth: depth)]
        while acceptWord("and") { parts.append(try factor(subject, bounds, depth: depth)) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func factor(_ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        guard depth <= Self.deepest else { throw invalid("parentheses are nested more than \(Self.deepest) deep") }
        if acceptWord("not") { return .not(try factor(subject, bounds, depth: depth + 1)) }
        guard accept("(") else { return try condition(subject, bounds, depth: depth) }
        let inner = try expression(subject, Bounds(isGroup: true), depth: depth + 1)
        skipBlanks()
        guard accept(")") else {
            if isAtEnd { throw invalid("a parenthesis is not closed") }
            throw unexpected
        }
        return inner
    }

    // MARK: - Braces

    /// The conditions in the braces that begin here, all of which must be met.
    mutating func braces(_ subject: Subject, _ bounds: Bounds, depth: Int) throws -> Predicate {
        guard depth < Self.deepest else { throw invalid("braces are nested more than \(Self.deepest) deep: use several conditions") }
        let opening = position
        position += 1
        let isOutermost = !bounds.isGroup && bounds.braces == .none
        let inner = Bounds(braces: isOutermost ? .outermost : .inner)
        var parts: [Predicate] = []
        while true {
            guard let next else { throw invalid("a brace is not closed", at: opening) }
            if next == "," {
                position += 1
            } else if next == "}" {
                position += 1
                return .and(parts)
            } else if beginsExpression {
                parts.append(try expression(subject, Bounds(isGroup: true, braces: inner.braces), depth: depth + 1))
                skipBlanks()
                if let next = self.next, next != ",", next != "}" { throw unexpected }
            } else {
                parts.append(try condition(subject, inner, depth: depth + 1))
                if let next = self.next, next != ",", next != "}" { throw invalid("expected a comma or a closing brace") }
            }
        }
    }
}

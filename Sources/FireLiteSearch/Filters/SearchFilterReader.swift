import FireLiteCore

/// Reads the text of a `_filter`. `and` binds more than `or`.
struct SearchFilterReader {
    private let characters: [Character]
    private var place = 0
    private var depth = 0
    private static let deepest = 50

    init(_ text: String) { characters = Array(text) }

    mutating func read() throws -> SearchFilter {
        let filter = try alternatives()
        guard place == characters.count else { throw error("expected 'and', 'or' or the end") }
        return filter
    }

    private func error(_ message: String) -> SearchError {
        SearchError(.invalid, "character \(place + 1): \(message)", in: "_filter")
    }

    // MARK: - Logic

    private mutating func alternatives() throws -> SearchFilter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw error("more than \(Self.deepest) levels of parentheses") }
        let parts = try parts(between: "or") { try $0.conjunction() }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws -> SearchFilter {
        let parts = try parts(between: "and") { try $0.single() }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// The parts with a word between them. One that was there already, with the same text, says nothing new.
    private mutating func parts(between word: String, _ read: (inout Self) throws -> SearchFilter) throws -> [SearchFilter] {
        var parts: [SearchFilter] = []
        var texts: Set<ExactText> = []
        repeat {
            skipBlanks()
            let start = place
            let part = try read(&self)
            if texts.insert(ExactText(String(characters[start..<place]))).inserted { parts.append(part) }
        } while skip(word: word)
        return parts
    }

    private mutating func single() throws -> SearchFilter {
        skipBlanks()
        if skip("(") { return try enclosed() }
        let start = place
        if word() == "not" {
            skipBlanks()
            if skip("(") { return .not(try enclosed()) }
        }
        place = start
        return try test()
    }

    private mutating func enclosed() throws -> SearchFilter {
        let filter = try alternatives()
        skipBlanks()
        guard skip(")") else { throw error("expected ')'") }
        skipBlanks()
        return filter
    }

    // MARK: - Comparisons

    private mutating func test() throws -> SearchFilter {
        let path = word()
        guard !path.isEmpty else { throw error("expected a parameter") }
        if path.contains("[") {
            throw SearchError(.notSupported, "this library has no conditions in brackets", in: "_filter")
        }
        skipBlanks()
        let start = place
        guard let operation = SearchFilter.Operation(rawValue: word()) else {
            place = start
            throw error("expected a comparison, such as eq or co")
        }
        skipBlanks()
        let value = try value()
        skipBlanks()
        return .test(path: path, operation, value: value)
    }

    /// A value as parameters write it: in quotes a comma, dollar or backslash is a part of the text.
    private mutating func value() throws -> String {
        guard skip("\"") else {
            let value = word()
            guard !value.isEmpty else { throw error("expected a value") }
            return escaped(value)
        }
        var text = ""
        while place < characters.count, characters[place] != "\"" {
            if characters[place] == "\\", place + 1 < characters.count { place += 1 }
            text.append(characters[place])
            place += 1
        }
        guard skip("\"") else { throw error("the text has no end") }
        return escaped(text)
    }

    private func escaped(_ text: String) -> String {
        text.replacingBytes("\\", with: "\\\\").replacingBytes(",", with: "\\,").replacingBytes("$", with: "\\$")
    }

    // MARK: - Characters

    /// The characters up to a blank or a closing parenthesis.
    private mutating func word() -> String {
        let start = place
        while place < characters.count, !characters[place].isWhitespace, characters[place] != ")", characters[place] != "(" { place += 1 }
        return String(characters[start..<place])
    }

    private mutating func skipBlanks() { while place < characters.count, characters[place].isWhitespace { place += 1 } }

    private mutating func skip(_ character: Character) -> Bool {
        guard place < characters.count, characters[place] == character else { return false }
        place += 1
        return true
    }

    private mutating func skip(word wanted: String) -> Bool {
        skipBlanks()
        let start = place
        if word() == wanted { return true }
        place = start
        return false
    }
}

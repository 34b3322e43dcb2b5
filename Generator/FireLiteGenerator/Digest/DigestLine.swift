/// A line of a digest, read word by word.
struct DigestLine {
    let file: String
    let number: Int
    let text: Substring
    private var rest: Substring

    init(file: String, number: Int, text: Substring) {
        self.file = file
        self.number = number
        self.text = text
        rest = text
    }

    /// Whether it belongs to the line before that does not start with a space.
    var isIndented: Bool { text.first == " " }

    /// The place of the next word.
    var location: SourceLocation {
        let start = rest.drop { $0 == " " }
        return SourceLocation(
            file: file, line: number, column: text.utf8.distance(from: text.startIndex, to: start.startIndex) + 1)
    }

    /// The next word.
    ///
    /// - Throws: `GeneratorError` when there is none, with `what` as the word that was expected.
    mutating func word(_ what: String) throws -> Substring {
        guard let word = optionalWord() else { throw error("expected \(what)") }
        return word
    }

    /// The next word, `nil` at the end of the line.
    mutating func optionalWord() -> Substring? {
        rest = rest.drop { $0 == " " }
        guard !rest.isEmpty else { return nil }
        let word = rest.prefix { $0 != " " }
        rest = rest[word.endIndex...]
        return word
    }

    /// The next word, `nil` for a `-`.
    mutating func wordOrDash(_ what: String) throws -> String? {
        let word = try word(what)
        return word == "-" ? nil : String(word)
    }

    /// The next word, a URL.
    ///
    /// - Throws: `GeneratorError` when there is none or it has characters no URL has.
    mutating func url(_ what: String) throws -> String {
        let place = location
        let word = try word(what)
        guard Identifier.isWord(word) else { throw GeneratorError("this is not a URL", at: place) }
        return String(word)
    }

    /// The next word, of visible ASCII characters.
    ///
    /// - Throws: `GeneratorError` when there is none or it has others.
    mutating func plainWord(_ what: String) throws -> String {
        let place = location
        let word = try word(what)
        guard Identifier.isWord(word) else { throw GeneratorError("this is not \(what)", at: place) }
        return String(word)
    }

    /// All the rest of the line, without control characters.
    ///
    /// - Throws: `GeneratorError` when there is none or it has some.
    mutating func lineRemainder(_ what: String) throws -> String {
        let place = location
        let text = try remainder(what)
        guard Identifier.isLine(text) else { throw GeneratorError("this is not \(what)", at: place) }
        return text
    }

    /// All the rest of the line without the spaces before it.
    ///
    /// - Throws: `GeneratorError` when there is none.
    mutating func remainder(_ what: String) throws -> String {
        let text = rest.drop { $0 == " " }
        guard !text.isEmpty else { throw error("expected \(what)") }
        rest = rest[rest.endIndex...]
        return String(text)
    }

    /// - Throws: `GeneratorError` when there is anything left.
    mutating func end() throws {
        let place = location
        if let word = optionalWord() { throw GeneratorError("unexpected `\(word)`", at: place) }
    }

    func error(_ message: String) -> GeneratorError { GeneratorError(message, at: location) }
}

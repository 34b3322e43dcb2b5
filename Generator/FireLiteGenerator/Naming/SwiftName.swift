/// Turns FHIR's names and codes into Swift's.
enum SwiftName {
    /// A name that may be a keyword, as it is to be written in a declaration.
    static func escaped(_ name: String) -> String {
        ReservedWords.keywords.contains(name) ? "`\(name)`" : name
    }

    /// A name as it is to be written as an argument's label.
    static func label(_ name: String) -> String {
        ReservedWords.labels.contains(name) ? "`\(name)`" : name
    }

    /// `contact` to `Contact`.
    static func capitalized(_ name: some StringProtocol) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }

    /// A type's name from any text: `medicationrequest Status` to `MedicationrequestStatus`.
    static func typeName(_ text: String) -> String {
        let name = words(in: text).map(capitalized).joined()
        guard let first = name.first else { return "Unnamed" }
        return first.isNumber ? "_" + name : name
    }

    /// A property's name from an element's: the same, but `fhir_comments` to `fhirComments`.
    static func propertyName(_ name: String) -> String {
        let words = name.split(separator: "_")
        guard let first = words.first, words.count > 1 else { return name }
        return first + words.dropFirst().map(capitalized).joined()
    }

    /// A member's name from the name of a type: `CodeableConcept` to `codeableConcept`.
    static func memberName(_ text: String) -> String { lowered(text) }

    /// A member's name from a code: `entered-in-error` to `enteredInError`, `>=` to `greaterThanOrEqual`, `4.0.1` to `_4_0_1`.
    static func memberName(code: String) -> String {
        let isAllUppercase = !code.contains { $0.isLowercase }
        var name = ""
        for word in words(in: code) {
            if name.isEmpty {
                name = lowered(word)
            } else {
                let separator = name.last?.isNumber == true && word.first?.isNumber == true ? "_" : ""
                name += separator + capitalized(isAllUppercase ? word.lowercased() : word)
            }
        }
        guard let first = name.first else { return "unnamed" }
        return first.isNumber ? "_" + name : name
    }

    /// What symbols in codes are called, the longer ones first.
    private static let symbols: [(symbol: String, words: [String])] = [
        ("<=", ["less", "than", "or", "equal"]), (">=", ["greater", "than", "or", "equal"]), ("!=", ["not", "equal"]),
        ("<", ["less", "than"]), (">", ["greater", "than"]), ("=", ["equal"]), ("+", ["plus"]), ("*", ["asterisk"]),
        ("%", ["percent"]), ("&", ["and"]), ("~", ["tilde"]), ("^", ["caret"]), ("$", ["dollar"]), ("#", ["number"]),
        ("@", ["at"]), ("?", ["question"]), ("!", ["not"]),
    ]

    /// Runs of ASCII letters and digits, and the names of symbols. Everything else separates; letters of other alphabets are
    /// spelled as their number.
    private static func words(in text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var rest = text[...]
        func flush() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        while let character = rest.first {
            if character.isASCII, character.isLetter || character.isNumber {
                word.append(character)
                rest.removeFirst()
                continue
            }
            flush()
            if let found = symbols.first(where: { rest.hasPrefix($0.symbol) }) {
                words += found.words
                rest = rest.dropFirst(found.symbol.count)
                continue
            }
            if !character.isASCII {
                words += character.unicodeScalars.map { "u" + String($0.value, radix: 16) }
            }
            rest.removeFirst()
        }
        flush()
        return words
    }

    /// Lower-cases the capitals a name starts with: `HTTPVerb` to `httpVerb`, `GET` to `get`, `Patient` to `patient`.
    private static func lowered(_ name: String) -> String {
        let capitals = name.prefix { $0.isUppercase }
        if capitals.count <= 1 || capitals.count == name.count { return capitals.lowercased() + name.dropFirst(capitals.count) }
        // The last capital starts the next word, unless a digit follows.
        let next = name[capitals.endIndex]
        let count = next.isLowercase ? capitals.count - 1 : capitals.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }
}

import FireLiteSQLiteBridge
import Foundation

/// Questions to the full-text index of the names of a code system.
struct NameSearch {
    private let system: CodeTables.System
    private let connection: Connection

    init(_ system: CodeTables.System, _ connection: Connection) { (self.system, self.connection) = (system, connection) }

    /// The words of a text as the index has them (SQLite FTS5, tokenizer unicode61): letters, numbers and the marks on them.
    static func words(_ text: String) -> [String] {
        text.lowercased().unicodeScalars.split { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
                .otherNumber, .privateUse:
                false
            default: !(768...817).contains(scalar.value)
            }
        }.map { String($0) }
    }

    /// The question of SQLite FTS5 for names in which every word begins a word; with many words, names in which the longest do.
    ///
    /// The index is read for each word, and for a single letter nearly all of it: words that others imply are left out, and so are all but a few.
    static func question(_ words: [String]) -> String {
        needed(words).prefix(maximumWords).map { "\"\($0)\"*" }.joined(separator: " AND ")
    }

    private static let maximumWords = 8

    /// The words that no other one implies, the longest first.
    private static func needed(_ words: [String]) -> [String] {
        var found: [String] = []
        var beginnings: Set<Substring> = []
        for word in Set(words).sorted(by: { ($1.utf8.count, $0) < ($0.utf8.count, $1) }) where !beginnings.contains(word[...]) {
            found.append(word)
            for end in word.indices { beginnings.insert(word[..<end]) }
        }
        return found
    }

    /// Whether the words that ``question(_:)`` leaves out begin words of a name, too.
    struct Rest {
        private let words: [String]

        init(_ words: [String]) { self.words = NameSearch.needed(words).dropFirst(NameSearch.maximumWords).map(Self.folded) }

        /// - Parameter row: a row of ``statement(_:)``.
        func isMet(by row: Statement) -> Bool {
            if words.isEmpty { return true }
            let own = NameSearch.words(row.text(1) ?? "").map(Self.folded)
            return words.allSatisfy { word in own.contains { $0.hasPrefix(word) } }
        }

        /// The index makes no difference between letters with marks and without (SQLite FTS5, remove_diacritics).
        private static func folded(_ word: String) -> String { word.folding(options: .diacriticInsensitive, locale: nil) }
    }

    /// A statement whose rows are the concepts of the names that a question finds, with the names, the shortest first.
    func statement(_ question: String) throws -> Statement {
        let statement = try connection.prepare(
            """
            SELECT n.concept, n.term FROM code_word JOIN code_name n ON n._k = code_word.rowid
            WHERE code_word MATCH ? AND code_word.rowid BETWEEN ? AND ? ORDER BY code_word.rowid
            """)
        statement.bind(1, question)
        statement.bind(2, system.names.lowerBound)
        statement.bind(3, system.names.upperBound)
        return statement
    }

    /// The concepts of the names that a question finds.
    func concepts(_ question: String) throws -> CodeSet {
        let statement = try statement(question)
        var found: Set<Int64> = []
        while try statement.step() { found.insert(statement.int(0)) }
        return CodeSet(found)
    }
}

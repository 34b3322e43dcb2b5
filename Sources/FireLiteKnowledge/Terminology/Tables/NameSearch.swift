import FireLiteSQLiteBridge

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

    /// The question of SQLite FTS5 for names in which every word begins a word.
    static func question(_ words: [String]) -> String { words.map { "\"\($0)\"*" }.joined(separator: " AND ") }

    /// A statement whose rows are the concepts of the names that a question finds, the shortest names first.
    func statement(_ question: String) throws -> Statement {
        let statement = try connection.prepare(
            """
            SELECT n.concept FROM code_word JOIN code_name n ON n._k = code_word.rowid
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

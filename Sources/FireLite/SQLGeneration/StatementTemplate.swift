import FireLiteSQLiteBridge

/// A statement whose parameters come from the values that a shape leaves out.
struct StatementTemplate: Hashable {
    /// The origin of a parameter.
    private enum Argument: Hashable {
        case constant(SQLValue)
        case number(Int)
        /// A word with text around it.
        case word(Int, before: String, after: String)
        /// A beginning of letters, of so many bytes, and what follows it; nil for all of them.
        case letters(Int, count: Int?, after: String)
        /// The least text after all that begin with a beginning of letters.
        case end(Int, count: Int?)
    }

    let sql: String
    private var arguments: [Argument]

    /// - Parameter values: those whose marks the statement has.
    /// - Throws: `NotShared` if the origin of a parameter is not certain.
    init(_ statement: SQLStatement, _ values: ShapeValues) throws {
        sql = statement.sql
        arguments = try statement.arguments.map { try Self.argument($0, values) }
    }

    /// What cannot be compiled for all requests of a shape.
    struct NotShared: Error {}

    /// The statement without its last parameter.
    func withoutLast() -> StatementTemplate {
        var template = self
        template.arguments.removeLast()
        return template
    }

    // MARK: - Origins

    private static func argument(_ value: SQLValue, _ values: ShapeValues) throws -> Argument {
        switch value {
        case .null, .real: return .constant(value)
        case .integer(let number):
            guard ShapeMarks.isMark(number) else { return .constant(value) }
            return .number(Int(number - ShapeMarks.limit))
        case .text(let text): return try argument(text, values)
        case .blob:
            // Packed values may have marks anywhere.
            guard values.words.isEmpty, values.letters.isEmpty else { throw NotShared() }
            return .constant(value)
        }
    }

    private static func argument(_ text: String, _ values: ShapeValues) throws -> Argument {
        if let (before, number, after) = ShapeMarks.word(in: text) {
            guard values.words.indices.contains(number) else { throw NotShared() }
            return .word(number, before: before, after: after)
        }
        guard let first = text.utf8.first, first < 0x20 else {
            guard ShapeMarks.isConstant(text) else { throw NotShared() }
            return .constant(.text(text))
        }
        guard let number = ShapeMarks.alphabet.firstIndex(of: first & ~1), values.letters.indices.contains(number) else {
            throw NotShared()
        }
        let letters = values.letters[number]
        let mark = ShapeMarks.alphabet[number]
        let count = text.utf8.prefix { $0 == mark }.count
        let rest = String(decoding: text.utf8.dropFirst(count), as: UTF8.self)
        func part(_ count: Int) throws -> Int? {
            if count == letters.count { return nil }
            // A beginning of a text that may have any length.
            guard letters.isExact, count < letters.count else { throw NotShared() }
            return count
        }
        if rest.utf8.count == 1, rest.utf8.first == mark + 1 { return .end(number, count: try part(count + 1)) }
        guard count > 0, ShapeMarks.isConstant(rest) else { throw NotShared() }
        return .letters(number, count: try part(count), after: rest)
    }

    // MARK: - Filling

    /// The statement with the parameters that values of the same shape have.
    func statement(_ values: ShapeValues) -> SQLStatement {
        SQLStatement(sql: sql, arguments: arguments(values))
    }

    /// The parameters that values of the same shape have.
    func arguments(_ values: ShapeValues) -> [SQLValue] { arguments.map { Self.value($0, values) } }

    /// Binds these parameters and a further one to the compiled statement.
    func bind(_ values: ShapeValues, last: Int, to statement: Statement) {
        for (index, argument) in arguments.enumerated() { statement.bind(index + 1, Self.value(argument, values)) }
        statement.bind(arguments.count + 1, Int64(last))
    }

    private static func value(_ argument: Argument, _ values: ShapeValues) -> SQLValue {
        switch argument {
        case .constant(let value): return value
        case .number(let number): return .integer(values.numbers[number])
        case .word(let number, let before, let after):
            let word = values.words[number]
            return .text(before.isEmpty && after.isEmpty ? word : before + word + after)
        case .letters(let number, let count, let after):
            let text = beginning(values.letters[number].text, count)
            return .text(after.isEmpty ? text : text + after)
        case .end(let number, let count):
            // The letters are ASCII, and the last one is not the greatest.
            var bytes = Array(beginning(values.letters[number].text, count).utf8)
            bytes[bytes.count - 1] += 1
            return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func beginning(_ text: String, _ count: Int?) -> String {
        count.map { String(decoding: text.utf8.prefix($0), as: UTF8.self) } ?? text
    }
}

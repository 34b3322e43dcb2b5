import FireLiteCore
import FireLiteSQLiteBridge

/// An SQL statement that a store has run, without any value: see ``FHIRStore/Configuration/observeStatements``.
public struct StatementReport: Sendable, Hashable, CustomStringConvertible {
    /// The text of the statement. `?` stands for each value: of the parameters, and of literals in a statement that a caller wrote.
    public let sql: String
    /// The time from its start to its end, with that in which its rows were used.
    public let duration: Duration
    /// The number of rows that it gave.
    public let rows: Int

    /// The time, the number of rows and the text.
    public var description: String { "\(duration), \(rows) rows: \(sql)" }
}

extension FHIRStore.Configuration {
    /// Reports the statements of a connection, if somebody wants to know them.
    func watch(_ connection: Connection) {
        guard let observeStatements else { return }
        let slowest = slowStatement
        connection.observeStatements { statement in
            guard statement.duration >= slowest else { return }
            observeStatements(
                StatementReport(sql: StatementText.withoutValues(statement.sql), duration: statement.duration, rows: statement.rows))
        }
    }
}

/// Texts of statements.
enum StatementText {
    /// The statement with `?` for each text, blob and number in it, and without comments; names, also quoted ones, stay.
    ///
    /// Source: SQLite, Query Language Understood by SQLite, Literal Values.
    static func withoutValues(_ sql: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(sql.utf8)
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "'"):
                index = end(ofQuoted: bytes, from: index)
                // x'00ff' is a blob.
                if let last = result.last, last == UInt8(ascii: "x") || last == UInt8(ascii: "X"), !isName(before: result.count - 1, result)
                {
                    result.removeLast()
                }
                result.append(UInt8(ascii: "?"))
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                let stop = end(ofQuoted: bytes, from: index)
                result += bytes[index..<stop]
                index = stop
            case UInt8(ascii: "["):
                let stop = (bytes[index...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count - 1) + 1
                result += bytes[index..<stop]
                index = stop
            case UInt8(ascii: "-") where bytes[index...].starts(with: lineComment):
                index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            case UInt8(ascii: "/") where bytes[index...].starts(with: commentBegin):
                let end = bytes[(index + 2)...].indices.first { bytes[$0...].starts(with: commentEnd) }
                index = end.map { $0 + 2 } ?? bytes.count
                // A comment separates words.
                result.append(UInt8(ascii: " "))
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isName(before: result.count, result):
                while index < bytes.count, isNumberPart(bytes, index) { index += 1 }
                result.append(UInt8(ascii: "?"))
            default:
                result.append(byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let lineComment = Array("--".utf8)
    private static let commentBegin = Array("/*".utf8)
    private static let commentEnd = Array("*/".utf8)

    /// The index after a quoted text, in which a doubled quotation mark stands for itself.
    private static func end(ofQuoted bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == bytes[start] {
                guard index + 1 < bytes.count, bytes[index + 1] == bytes[start] else { return index + 1 }
                index += 1
            }
            index += 1
        }
        return bytes.count
    }

    /// Whether the character before a place is part of a name or of a parameter: `t1`, `?2`, `_k`.
    private static func isName(before count: Int, _ bytes: [UInt8]) -> Bool {
        guard count > 0, count <= bytes.count else { return false }
        let byte = bytes[count - 1]
        return byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "$")
            || byte >= 0x80
    }

    private static func isNumberPart(_ bytes: [UInt8], _ index: Int) -> Bool {
        let byte = bytes[index]
        if byte.isDigit || byte.isLetter || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") { return true }
        // The sign of an exponent.
        let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        return isSign && index > 0 && (bytes[index - 1] == UInt8(ascii: "e") || bytes[index - 1] == UInt8(ascii: "E"))
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}

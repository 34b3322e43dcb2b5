import FireLiteCore
import Foundation

/// A text file of rows with separated fields: RF2 (tabs), RRF (bars), CSV (commas, with quotation marks).
///
/// The file is mapped, not read: memory holds one row.
final class DelimitedFile {
    /// How fields are separated.
    enum Form: Sendable {
        case tabs, bars, commas

        fileprivate var separator: UInt8 {
            switch self {
            case .tabs: 9
            case .bars: 124
            case .commas: 44
            }
        }
    }

    /// A row; its fields are valid while it is visited.
    struct Row {
        fileprivate let file: DelimitedFile
        let line: Int
        fileprivate(set) var fields: [UnsafeRawBufferPointer] = []

        /// The text of a field; of quoted fields with `""` for `"`.
        func text(_ column: Int) -> String {
            let field = fields[column]
            let text = String(decoding: field, as: UTF8.self)
            guard field.contains(34), file.form == .commas else { return text }
            return text.replacingBytes("\"\"", with: "\"")
        }

        /// The text of a field that must not be empty: a code.
        ///
        /// - Throws: `KnowledgeError` with code `content` if it is empty.
        func code(_ column: Int) throws -> String {
            let code = text(column)
            guard !code.isEmpty else { throw error("column \(file.name(column)) has no code") }
            return code
        }

        /// The place of the row, for what is found out later.
        var place: Place { Place(file: file, line: line) }

        func error(_ problem: String) -> KnowledgeError { file.error(line, problem) }

        /// The number of a field.
        ///
        /// - Throws: `KnowledgeError` with code `content` if it is none.
        func number(_ column: Int) throws -> Int64 {
            let field = fields[column]
            var value: Int64 = 0
            for byte in field {
                guard (48...57).contains(byte) else { throw file.error(line, "column \(file.name(column)) is not a number") }
                let (next, overflow) = value.multipliedReportingOverflow(by: 10)
                guard !overflow, next <= Int64.max - 9 else { throw file.error(line, "column \(file.name(column)) is not a number") }
                value = next + Int64(byte - 48)
            }
            guard !field.isEmpty else { throw file.error(line, "column \(file.name(column)) is empty") }
            return value
        }

        /// Whether a field says `1`; `0` is false.
        ///
        /// - Throws: `KnowledgeError` with code `content` for another text.
        func flag(_ column: Int) throws -> Bool {
            let field = fields[column]
            guard field.count == 1, field[0] == 48 || field[0] == 49 else {
                throw file.error(line, "column \(file.name(column)) is neither 0 nor 1")
            }
            return field[0] == 49
        }
    }

    /// The file and line of a row.
    struct Place {
        fileprivate let file: DelimitedFile
        let line: Int

        func error(_ problem: String) -> KnowledgeError { file.error(line, problem) }

        /// The error for a row that has what another one has.
        ///
        /// - Parameter other: the place of the other row.
        func error(_ problem: String, repeating other: Place) -> KnowledgeError {
            error("\(problem), and so has \(other.file === file ? "" : other.file.path + ", ")line \(other.line): the release is damaged")
        }
    }

    let path: String
    let form: Form
    /// The names of the columns; numbers if the file has no header.
    private(set) var columns: [String] = []
    private let data: Data
    private var start = 0
    private var firstLine = 1

    /// Opens a file.
    ///
    /// - Parameter hasHeader: whether the first line names the columns.
    /// - Throws: `KnowledgeError` with code `file` or `content`.
    init(_ path: String, _ form: Form, hasHeader: Bool = true) throws {
        (self.path, self.form) = (path, form)
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            throw KnowledgeError(.file, "\(path) cannot be read: \(error.localizedDescription)")
        }
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
        // Without a mark, every other byte of plain text in UTF-16 is NUL.
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) || data.prefix(2).contains(0) {
            throw error(1, "the file is in UTF-16: convert it to UTF-8")
        }
        guard hasHeader else { return }
        var header = Row(file: self, line: 1)
        try data.withUnsafeBytes { bytes in
            guard let end = try split(bytes, start, &header) else { throw error(1, "the file is empty: a header was expected") }
            try checkText(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), 1)
            columns = header.fields.indices.map { header.text($0).trimmed }
            (start, firstLine) = (end, 2)
        }
    }

    /// The place of a column.
    ///
    /// - Throws: `KnowledgeError` with code `content` if the file has none of the name.
    func column(_ name: String) throws -> Int {
        guard let place = columns.firstIndex(of: name) else { throw error(1, "the header has no column '\(name)'") }
        return place
    }

    fileprivate func name(_ column: Int) -> String { column < columns.count ? "'\(columns[column])'" : "\(column + 1)" }

    func error(_ line: Int, _ problem: String) -> KnowledgeError { KnowledgeError(.content, "\(path), line \(line): \(problem)") }

    /// Visits the rows after the header.
    ///
    /// - Throws: `KnowledgeError` with code `content` for a row that has fewer fields than the header, or than `minimum`; errors of `body`.
    func visit(minimum: Int = 0, _ body: (Row) throws -> Void) throws {
        let wanted = max(minimum, columns.count)
        try data.withUnsafeBytes { bytes in
            var place = start
            var line = firstLine
            var row = Row(file: self, line: line)
            while let end = try split(bytes, place, &row) {
                let whole = UnsafeRawBufferPointer(rebasing: bytes[place..<end])
                try checkText(whole, line)
                if row.fields.count > 1 || row.fields.first?.isEmpty == false {
                    guard row.fields.count >= wanted else {
                        throw error(line, "\(row.fields.count) fields instead of \(wanted): the file may be cut off")
                    }
                    try body(row)
                }
                place = end
                // A quoted field may have several lines.
                line += form == .commas ? max(1, whole.count(where: { $0 == 10 })) : 1
                row = Row(file: self, line: line, fields: row.fields)
            }
        }
    }

    /// Refuses a row that is not text in UTF-8.
    private func checkText(_ row: UnsafeRawBufferPointer, _ line: Int) throws {
        guard !Self.isPlain(row) else { return }
        if row.contains(0) {
            throw error(line, "there is a NUL character: the file is damaged, or in UTF-16 and must be converted to UTF-8")
        }
        guard String(validating: row, as: UTF8.self) != nil else {
            throw error(line, "the text is not in UTF-8: convert the file from its encoding, such as Latin-1")
        }
    }

    private static let lowBits: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Whether all bytes are ASCII without NUL: eight at a time, as most rows of large files are.
    private static func isPlain(_ row: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place + 8 <= row.count {
            let word = row.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // A byte that is zero borrows from its highest bit.
            if (word | (word &- lowBits)) & highBits != 0 { return false }
            place += 8
        }
        return row[place...].allSatisfy { (1...127).contains($0) }
    }

    /// Splits the row at a place; returns the start of the next one, or nil at the end.
    private func split(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ row: inout Row) throws -> Int? {
        guard start < bytes.count else { return nil }
        row.fields.removeAll(keepingCapacity: true)
        let separator = form.separator
        var place = start
        while true {
            if form == .commas, place < bytes.count, bytes[place] == 34 {
                place = try quoted(bytes, place + 1, &row)
            } else {
                let begin = place
                while place < bytes.count, bytes[place] != separator, bytes[place] != 10 { place += 1 }
                var end = place
                if end > begin, end == bytes.count || bytes[end] == 10, bytes[end - 1] == 13 { end -= 1 }
                row.fields.append(UnsafeRawBufferPointer(rebasing: bytes[begin..<end]))
            }
            if place >= bytes.count { return bytes.count }
            if bytes[place] == 10 { return place + 1 }
            place += 1
        }
    }

    /// Adds a quoted field; returns the place of the separator or line end after it.
    private func quoted(_ bytes: UnsafeRawBufferPointer, _ begin: Int, _ row: inout Row) throws -> Int {
        var place = begin
        while place < bytes.count {
            guard bytes[place] == 34 else {
                place += 1
                continue
            }
            if place + 1 < bytes.count, bytes[place + 1] == 34 {
                place += 2
                continue
            }
            row.fields.append(UnsafeRawBufferPointer(rebasing: bytes[begin..<place]))
            place += 1
            if place < bytes.count, bytes[place] == 13 { place += 1 }
            guard place >= bytes.count || bytes[place] == form.separator || bytes[place] == 10 else {
                throw error(row.line, "text follows a quoted field")
            }
            return place
        }
        throw error(row.line, "a quoted field does not end")
    }
}

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
            return text.replacingOccurrences(of: "\"\"", with: "\"")
        }

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
        guard hasHeader else { return }
        var header = Row(file: self, line: 1)
        try data.withUnsafeBytes { bytes in
            guard let end = try split(bytes, start, &header) else { throw error(1, "the file is empty: a header was expected") }
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
                if row.fields.count > 1 || row.fields.first?.isEmpty == false {
                    guard row.fields.count >= wanted else {
                        throw error(line, "\(row.fields.count) fields instead of \(wanted): the file may be cut off")
                    }
                    try body(row)
                }
                place = end
                line += 1
                row = Row(file: self, line: line, fields: row.fields)
            }
        }
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

/// The rows that count of files whose rows have identifiers of their own: members of reference sets and concrete values.
///
/// A snapshot has one row of each identifier, and a full release one for each date, the latest of which counts (SNOMED CT Release File Specifications,
/// Release Types). Of releases that are read together, an edition and its extension, the latest row counts, and of equal ones that of the later file.
struct MemberRows {
    private struct Entry {
        /// The identifier: a UUID, or the number of another text.
        let high: UInt64
        let low: UInt64
        let date: Int32
        let file: Int32
        let line: Int32

        func isOf(_ other: Entry) -> Bool { high == other.high && low == other.low }
        func precedes(_ other: Entry) -> Bool { (high, low, file, line) < (other.high, other.low, other.file, other.line) }
    }

    private let isFull: Bool
    private var files: [DelimitedFile] = []
    private var entries: [Entry] = []
    private var texts: [String: UInt64] = [:]

    private init(isFull: Bool) { self.isFull = isFull }

    /// Visits the rows of files that count.
    ///
    /// - Parameters:
    ///   - paths: files with the columns `id` and `effectiveTime`.
    ///   - isFull: whether they have every state of a row, and not only the current one.
    ///   - visitor: makes what visits the rows of a file.
    /// - Throws: `KnowledgeError` with code `content` for a row that is repeated; errors of the visitor.
    static func visit(_ paths: [String], isFull: Bool, _ visitor: (DelimitedFile) throws -> (DelimitedFile.Row) throws -> Void) throws {
        var rows = MemberRows(isFull: isFull)
        if let path = paths.first, paths.count == 1, !isFull {
            // No other file replaces a row, and one that is repeated ends the import.
            let file = try DelimitedFile(path, .tabs)
            let body = try visitor(file)
            try rows.read(file, body)
            _ = try rows.replaced()
            return
        }
        for path in paths { try rows.read(DelimitedFile(path, .tabs)) { _ in } }
        let replaced = try rows.replaced()
        rows.entries = []
        for (place, file) in rows.files.enumerated() {
            let body = try visitor(file)
            try file.visit { row in if !replaced[place].contains(Int32(clamping: row.line)) { try body(row) } }
        }
    }

    private mutating func read(_ file: DelimitedFile, _ body: (DelimitedFile.Row) throws -> Void) throws {
        let (id, date) = (try file.column("id"), try file.column("effectiveTime"))
        try file.visit { row in
            let own = try key(row, id)
            entries.append(
                Entry(
                    high: own.high, low: own.low, date: Int32(clamping: try row.number(date)), file: Int32(files.count),
                    line: Int32(clamping: row.line)))
            try body(row)
        }
        files.append(file)
    }

    private mutating func key(_ row: DelimitedFile.Row, _ column: Int) throws -> (high: UInt64, low: UInt64) {
        if let uuid = Self.uuid(row.fields[column]) { return uuid }
        let text = try row.code(column)
        let number = texts[text] ?? UInt64(texts.count)
        texts[text] = number
        // No UUID has this version (RFC 9562).
        return (0xF000, number)
    }

    /// The bits of a UUID; nil for another text.
    private static func uuid(_ text: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
        guard text.count == 36 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for (place, byte) in text.enumerated() {
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            high = high << 4 | low >> 60
            low = low << 4 | UInt64(digit)
        }
        return (high, low)
    }

    /// For each file, the lines of the rows that others replace.
    private mutating func replaced() throws -> [Set<Int32>] {
        entries.sort { $0.precedes($1) }
        var replaced = [Set<Int32>](repeating: [], count: files.count)
        var fault: (row: Entry, earlier: Entry)?
        var latest: Entry?
        var before: Entry?
        for row in entries {
            defer { before = row }
            guard let known = latest, known.isOf(row) else {
                latest = row
                continue
            }
            if let before, before.file == row.file, !isFull || known.file == row.file && known.date == row.date,
                fault.map({ (row.file, row.line) < ($0.row.file, $0.row.line) }) ?? true
            {
                fault = (row, isFull ? known : before)
            }
            let old = known.date <= row.date ? known : row
            replaced[Int(old.file)].insert(old.line)
            if known.date <= row.date { latest = row }
        }
        if let fault {
            throw files[Int(fault.row.file)].error(
                Int(fault.row.line),
                "the identifier is that of line \(fault.earlier.line), too, and a \(isFull ? "full release has one row of each and a date" : "snapshot has one row of each"): "
                    + "the release is damaged")
        }
        return replaced
    }
}

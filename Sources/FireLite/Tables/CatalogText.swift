import FireLiteSQLiteBridge

/// The definitions allowed in the file's catalog (`sqlite_master`): only those that this library writes, as a file may come from anybody.
enum CatalogText {
    /// The store's bookkeeping tables.
    static let ownTables = Set(["_meta", "_index"] + Registry.tables + ChangeTable.tables)

    /// Whether a table whose name begins with an underscore is the store's: a bookkeeping table, or one of a full-text index.
    static func isOwn(_ name: String) -> Bool { ownTables.contains(name) || name.hasPrefix("_text_") }

    /// Whether a definition is that of a table, and not of a virtual table.
    static func isPlainTable(_ sql: String) -> Bool {
        var sql = sql
        return sql.withUTF8 { isPlainTable($0) }
    }

    static func isPlainTable(_ sql: UnsafeBufferPointer<UInt8>) -> Bool {
        let beginning: StaticString = "CREATE TABLE "
        guard sql.count > beginning.utf8CodeUnitCount else { return false }
        return isSame(UnsafeBufferPointer(rebasing: sql[..<beginning.utf8CodeUnitCount]), beginning)
    }

    /// The error for a file whose catalog contains definitions that this library does not write.
    static func refusal(_ path: String, _ what: String) -> FHIRStoreError {
        FHIRStoreError(
            .notAStore, "\(path) is not a sound store: \(what): remove it if you put it there, or use `firelite recover`")
    }

    private static let types: [StaticString] = ["TEXT", "INTEGER", "REAL", "BLOB", ""]
    private static let keyType: StaticString = "INTEGER PRIMARY KEY"
    private static let firstColumns: [StaticString] = ["_k", "_parent", "_ord"]
    private static let usualColumns = 32

    /// The positions of the columns' names in a table's definition, without `_k`, `_parent` and `_ord`, which come first; nil if the text is not
    /// `CREATE TABLE name(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, "name" TYPE, …)`.
    static func columns(_ sql: UnsafeBufferPointer<UInt8>) -> ArraySlice<Range<Int>>? {
        var names: [Range<Int>] = []
        names.reserveCapacity(usualColumns)
        guard var next = sql.firstIndex(of: UInt8(ascii: "(")) else { return nil }
        var isClosed = false
        while !isClosed {
            var start = next + 1
            while start < sql.count, sql[start] <= 0x20 { start += 1 }
            let isQuoted = start < sql.count && sql[start] == UInt8(ascii: "\"")
            var end = isQuoted ? start + 1 : start
            while end < sql.count, isName(sql[end]) { end += 1 }
            names.append(isQuoted ? start + 1..<end : start..<end)
            if isQuoted {
                guard end < sql.count, sql[end] == UInt8(ascii: "\"") else { return nil }
                end += 1
            }
            next = end
            while next < sql.count, sql[next] != UInt8(ascii: ","), sql[next] != UInt8(ascii: ")") { next += 1 }
            guard next < sql.count else { return nil }
            isClosed = sql[next] == UInt8(ascii: ")")
            guard isType(sql, end..<next, isKey: names.count == 1) else { return nil }
        }
        guard next == sql.count - 1, names.count >= 3 else { return nil }
        for (name, first) in zip(names, firstColumns) where !isSame(UnsafeBufferPointer(rebasing: sql[name]), first) { return nil }
        return names.dropFirst(firstColumns.count)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "_")
    }

    // Bytes are compared directly, as opening a file checks every column of every table.

    private static func isType(_ sql: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, isKey: Bool) -> Bool {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, sql[start] == 0x20 { start += 1 }
        while end > start, sql[end - 1] == 0x20 { end -= 1 }
        let text = UnsafeBufferPointer(rebasing: sql[start..<end])
        return isKey ? isSame(text, keyType) : types.contains { isSame(text, $0) }
    }

    private static func isSame(_ text: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        var index = 0
        while index < text.count, text[index] == word.utf8Start[index] { index += 1 }
        return index == text.count
    }
}

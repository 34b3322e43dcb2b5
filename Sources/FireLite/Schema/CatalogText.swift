import SQLiteBridge

/// What the file's catalog (`sqlite_master`) may say: the definitions that this library writes, as a file may come from anybody.
enum CatalogText {
    /// The tables that the store keeps about itself.
    static let ownTables: Set<String> = ["_meta", "_resource", "_shape", "_index"]

    /// Whether a table whose name begins with an underscore is the store's: one about itself, or of a full-text index.
    static func isOwn(_ name: String) -> Bool { ownTables.contains(name) || name.hasPrefix("_text_") }

    /// Whether a definition is one of a table, and not of a virtual one.
    static func isPlainTable(_ sql: String) -> Bool { sql.utf8.starts(with: "CREATE TABLE ".utf8) }

    /// That the file is not to be opened, as its catalog holds what this library does not write.
    static func refusal(_ path: String, _ what: String) -> FHIRStoreError {
        FHIRStoreError(
            .notAStore, "\(path) is no sound store: \(what): remove it if you put it there, or salvage the file with `firelite recover`")
    }

    private static let types: Set<String> = ["INTEGER", "TEXT", "REAL", "BLOB", ""]

    /// Where the names of the columns are in a table's definition, without `_k`, `_parent` and `_ord`, which come first; nil if the text is not
    /// `CREATE TABLE name(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, "name" TYPE, …)`.
    static func columns(_ sql: UnsafeBufferPointer<UInt8>) -> ContiguousArray<Range<Int>>? {
        var names = ContiguousArray<Range<Int>>()
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
        for (name, expected) in zip(names, ["_k", "_parent", "_ord"]) where !sql[name].elementsEqual(expected.utf8) { return nil }
        return ContiguousArray(names.dropFirst(3))
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte >= 48 && byte <= 57 || byte == UInt8(ascii: "_")
    }

    private static func isType(_ sql: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, isKey: Bool) -> Bool {
        var range = range
        while let first = range.first, sql[first] == 0x20 { range.removeFirst() }
        while let last = range.last, sql[last] == 0x20 { range.removeLast() }
        guard range.count <= 20 else { return false }
        let text = String(decoding: sql[range], as: UTF8.self)
        return isKey ? text == "INTEGER PRIMARY KEY" : types.contains(text)
    }
}

import FireLiteCore

/// Conditions on metadata and annotations, which records and app data share.
struct RecordFilter: Sendable {
    var all: [String] = []
    var any: [String]?
    var created = RecordPeriod()
    var updated = RecordPeriod()

    /// Whether every record meets it.
    var isEmpty: Bool {
        all.isEmpty && any == nil && created.isOpen && updated.isOpen
    }

    /// A piece of SQL with its values.
    struct SQL {
        var text: String
        var arguments: [SQLValue] = []

        mutating func add(_ condition: String, _ values: [SQLValue] = []) {
            text += " AND " + condition
            arguments += values
        }
    }

    /// The condition on rows of a table, to follow others.
    ///
    /// - Parameter code: the keyed hash of an annotation; nil if there is no keyring.
    /// - Throws: `RecordError`: `emptyAnnotation`, `invalidArgument`.
    func sql(_ tables: RecordTables, code: (String) -> String?) throws -> SQL {
        var sql = SQL(text: "")
        for texts in try annotations() { sql.addAnnotated(tables.key, tables, texts, code) }
        try addTimes(to: &sql)
        return sql
    }

    /// A `SELECT` of the numbers of stored resources of a type that meet the condition, as `root`, among numbers of other resources.
    ///
    /// - Parameter code: the keyed hash of an annotation; nil if there is no keyring.
    /// - Throws: `RecordError`: `emptyAnnotation`, `invalidArgument`.
    func selection(_ tables: RecordTables, _ typeName: String, code: (String) -> String?) throws -> SQL {
        let annotations = try annotations()
        guard created.isOpen, updated.isOpen, let first = annotations.first, !first.isEmpty else {
            // `+` keeps SQLite from reading all records of the type to find those with annotations.
            let type = annotations.isEmpty ? "type" : "+type"
            var sql = SQL(text: "SELECT root FROM \(tables.name) WHERE \(type) = ?", arguments: [.text(typeName)])
            let condition = try self.sql(tables, code: code)
            sql.text += condition.text
            sql.arguments += condition.arguments
            return sql
        }
        // The resource's type and whether it is stored are known from its own row: the records with other annotations are not read.
        var sql = SQL.owners(tables, first, code)
        guard annotations.count > 1 else { return sql }
        sql.text = "SELECT root FROM (\(sql.text)) WHERE 1"
        for texts in annotations.dropFirst() { sql.addAnnotated("root", tables, texts, code) }
        return sql
    }

    /// Lists of annotations, of each of which a record has one. A list may be empty.
    private func annotations() throws -> [[String]] {
        try all.map { [try RecordAnnotation.normalized($0)] } + (any.map { [try RecordAnnotation.normalized($0)] } ?? [])
    }

    private func addTimes(to sql: inout SQL) throws {
        for (column, period) in [("created", created), ("updated", updated)] where !period.isOpen {
            let (first, end) = try period.milliseconds()
            if let first { sql.add("\(column) >= ?", [.integer(first)]) }
            if let end { sql.add("\(column) < ?", [.integer(end)]) }
        }
    }
}

extension RecordFilter.SQL {
    fileprivate mutating func addAnnotated(
        _ key: String, _ tables: RecordTables, _ texts: [String], _ code: (String) -> String?
    ) {
        guard !texts.isEmpty else { return add("0") }
        let owners = Self.owners(tables, texts, code)
        add("\(key) IN (\(owners.text))", owners.arguments)
    }

    /// A `SELECT` of the numbers of those that have one of these annotations, as `root`.
    fileprivate static func owners(_ tables: RecordTables, _ texts: [String], _ code: (String) -> String?) -> Self {
        let owners = "SELECT owner AS root FROM \(tables.name)_annotation WHERE keyed = "
        var parts = [owners + "0 AND text IN (\(texts.map { _ in "?" }.joined(separator: ", ")))"]
        var values: [SQLValue] = texts.map { .text($0) }
        let codes = texts.compactMap(code)
        if !codes.isEmpty {
            parts.append(owners + "1 AND text IN (\(codes.map { _ in "?" }.joined(separator: ", ")))")
            values += codes.map { .text($0) }
        }
        return Self(text: parts.joined(separator: " UNION ALL "), arguments: values)
    }
}

/// A period between two dates, both ends included; without limits unless given.
struct RecordPeriod: Sendable {
    var from: QueryDate?
    var to: QueryDate?

    /// Whether it has no limits.
    var isOpen: Bool { from == nil && to == nil }

    /// Its first millisecond since 1970, and the one after its last.
    ///
    /// - Throws: `RecordError.invalidArgument` for a time of day.
    func milliseconds() throws -> (first: Int64?, end: Int64?) {
        (try Self.span(from).map { RecordTime.milliseconds($0.start.date) }, try Self.span(to).map { RecordTime.milliseconds($0.end.date) })
    }

    private static func span(_ date: QueryDate?) throws -> TemporalSpan? {
        guard let date else { return nil }
        guard let span = date.bounds.span else { throw RecordError(.invalidArgument, "a time of day is no end of a period: give a date") }
        return span
    }
}

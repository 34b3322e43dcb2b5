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
        for annotation in all { try sql.addAnnotated(tables, [RecordAnnotation.normalized(annotation)], code) }
        if let any {
            if any.isEmpty { sql.add("0") } else { try sql.addAnnotated(tables, RecordAnnotation.normalized(any), code) }
        }
        for (column, period) in [("created", created), ("updated", updated)] {
            let (first, end) = try period.milliseconds()
            if let first { sql.add("\(column) >= ?", [.integer(first)]) }
            if let end { sql.add("\(column) < ?", [.integer(end)]) }
        }
        return sql
    }
}

extension RecordFilter.SQL {
    fileprivate mutating func addAnnotated(_ tables: RecordTables, _ texts: [String], _ code: (String) -> String?) throws {
        let owners = "SELECT owner FROM \(tables.name)_annotation WHERE keyed = "
        var parts = [owners + "0 AND text IN (\(texts.map { _ in "?" }.joined(separator: ", ")))"]
        var values: [SQLValue] = texts.map { .text($0) }
        let codes = texts.compactMap(code)
        if !codes.isEmpty {
            parts.append(owners + "1 AND text IN (\(codes.map { _ in "?" }.joined(separator: ", ")))")
            values += codes.map { .text($0) }
        }
        add("\(tables.key) IN (\(parts.joined(separator: " UNION ALL ")))", values)
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

import Foundation

/// Conditions on metadata and annotations, which records and app data share.
struct RecordFilter: Sendable {
    var all: [String] = []
    var any: [String]?
    var createdFrom: Date?
    var createdTo: Date?
    var updatedFrom: Date?
    var updatedTo: Date?

    /// Whether every record meets it.
    var isEmpty: Bool {
        all.isEmpty && any == nil && createdFrom == nil && createdTo == nil && updatedFrom == nil && updatedTo == nil
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
    /// - Throws: `RecordError.emptyAnnotation`.
    func sql(_ tables: RecordTables, code: (String) -> String?) throws -> SQL {
        var sql = SQL(text: "")
        for annotation in all { try sql.addAnnotated(tables, [RecordAnnotation.normalized(annotation)], code) }
        if let any {
            if any.isEmpty { sql.add("0") } else { try sql.addAnnotated(tables, RecordAnnotation.normalized(any), code) }
        }
        for (column, comparison, date) in [
            ("created", ">=", createdFrom), ("created", "<=", createdTo), ("updated", ">=", updatedFrom), ("updated", "<=", updatedTo),
        ] {
            if let date { sql.add("\(column) \(comparison) ?", [.integer(RecordTime.milliseconds(date))]) }
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

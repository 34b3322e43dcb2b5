import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// A date or time in SQL, for comparisons as FHIRPath has them: the parts are compared from the year down, and where one value ends before
/// they differ, nothing is known (`PathTemporal.order`). NULL is nothing.
///
/// With a time and a zone it is compared in UTC, in which the tables keep it; beside a date as it was written.
struct SQLMoment {
    /// The text in UTC, or as it is if it has no time or no zone.
    private let utc: SQLFragment
    /// The column with the zone; nil if it has none, or has no time.
    private let offset: SQLFragment?
    /// The value, if the expression says it.
    private let literal: PathTemporal?
    private let isTime: Bool
    /// Whether the type has no time of day, or the value none.
    private let isDate: Bool

    init?(_ column: StoredColumn) {
        guard column.type.storage == .temporal else { return nil }
        (utc, literal) = (column.sql, nil)
        (isTime, isDate) = (column.type == .time, column.type == .date)
        offset = isTime || isDate ? nil : column.asideSQL
    }

    init(_ value: PathTemporal) {
        literal = value
        utc = "\(bind: .text(value.inUTC.textWithoutZone))"
        offset = nil
        (isTime, isDate) = (value.isTimeOfDay, !value.hasTime)
    }

    // MARK: - Comparing

    /// Two values whose order is asked for.
    ///
    /// - Throws: `NotCompiled` for a time of day beside something else.
    static func compare(_ left: SQLMoment, _ operation: String, _ right: SQLMoment) throws -> SQLFragment {
        guard left.isTime == right.isTime else { throw NotCompiled(what: "a date compared with a time") }
        if left.literal != nil, right.literal == nil { return try compare(right, mirrored(operation), left) }
        if let value = right.literal {
            if left.isTime || left.isDate && right.isDate { return parts(left.utc, operation, value.textWithoutZone) }
            if left.isDate || right.isDate { return parts(left.written, operation, value.textWithoutZone) }
            if left.literal == nil { return left.compare(operation, value) }
            throw NotCompiled(what: "two constants compared")
        }
        if left.isTime || left.isDate && right.isDate { return parts(left.utc, operation, right.utc) }
        if left.isDate || right.isDate { return parts(left.written, operation, right.written) }
        // Both are in columns that may have times.
        let haveTimes: SQLFragment = "length(\(left.utc)) > 10 AND length(\(right.utc)) > 10"
        return """
            (CASE WHEN NOT (\(haveTimes)) THEN \(parts(left.written, operation, right.written)) \
            WHEN \(left.hasZone) AND \(right.hasZone) THEN \(parts(left.utc, operation, right.utc)) \
            WHEN \(haveTimes) THEN \(SQLText.failure(if: haveTimes)) END)
            """
    }

    private static func mirrored(_ operation: String) -> String {
        switch operation {
        case "<": ">"
        case "<=": ">="
        case ">": "<"
        case ">=": "<="
        default: operation
        }
    }

    /// The comparison of a column that may have times with a value that has one.
    private func compare(_ operation: String, _ value: PathTemporal) -> SQLFragment {
        let dates = Self.parts(utc, operation, value.textWithoutZone)
        // A time without a zone is none of FHIR's, and a zone stays in the text only where the year in UTC would not be one of FHIR's.
        let failure = SQLText.failure(if: "length(\(utc)) > 10")
        let times =
            value.offset != nil ? Self.parts(utc, operation, value.inUTC.textWithoutZone) : acrossZones(operation, value)
        return "(CASE WHEN length(\(utc)) <= 10 THEN \(dates) WHEN \(hasZone) THEN \(times) WHEN length(\(utc)) > 10 THEN \(failure) END)"
    }

    /// A value without a zone may be up to 14 hours from where it would be in UTC.
    private func acrossZones(_ operation: String, _ value: PathTemporal) -> SQLFragment {
        let second: SQLFragment = "substr(\(utc), 1, 19)"
        let (last, first) = value.boundsInAnyZone
        let isBefore: SQLFragment = "\(second) <= \(bind: .text(last))"
        let isAfter: SQLFragment = "\(second) >= \(bind: .text(first))"
        switch operation {
        case "<", "<=": return "(CASE WHEN \(isBefore) THEN 1 WHEN \(isAfter) THEN 0 END)"
        case ">", ">=": return "(CASE WHEN \(isBefore) THEN 0 WHEN \(isAfter) THEN 1 END)"
        default: return "(CASE WHEN \(isBefore) OR \(isAfter) THEN 0 END)"
        }
    }

    private var hasZone: SQLFragment { offset.map { "\($0) IS NOT NULL" } ?? "0" }

    /// Compares two texts of the same form, part by part.
    private static func parts(_ left: SQLFragment, _ operation: String, _ right: SQLFragment) -> SQLFragment {
        // With seconds on both sides, their fractions count as numbers. Elsewhere one text may end first.
        """
        (CASE WHEN \(hasSeconds(left)) AND \(hasSeconds(right)) THEN \(number(left)) \(raw: operation) \(number(right)) \
        WHEN length(\(left)) <> length(\(right)) AND substr(\(left), 1, length(\(right))) = substr(\(right), 1, length(\(left))) THEN NULL \
        ELSE \(left) \(raw: operation) \(right) END)
        """
    }

    /// Compares a text with one that the expression says.
    private static func parts(_ left: SQLFragment, _ operation: String, _ right: String) -> SQLFragment {
        let text: SQLFragment = "\(bind: .text(right))"
        guard right.utf8.count >= (right.contains("-") ? 19 : 8) else {
            return """
                (CASE WHEN length(\(left)) <> \(right.utf8.count) \
                AND substr(\(left), 1, \(right.utf8.count)) = substr(\(text), 1, length(\(left))) THEN NULL \
                ELSE \(left) \(raw: operation) \(text) END)
                """
        }
        return """
            (CASE WHEN \(hasSeconds(left)) THEN \(number(left)) \(raw: operation) \(number(text)) \
            WHEN \(left) = substr(\(text), 1, length(\(left))) THEN NULL ELSE \(left) \(raw: operation) \(text) END)
            """
    }

    /// Whether a text has seconds: 19 characters of a date with a time, or 8 of a time.
    private static func hasSeconds(_ text: SQLFragment) -> SQLFragment {
        "length(\(text)) >= CASE WHEN instr(\(text), '-') > 0 THEN 19 ELSE 8 END"
    }

    /// The text of a value with seconds such that equal ones have equal texts. FHIRPath reads nine digits of a fraction.
    private static func number(_ text: SQLFragment) -> SQLFragment {
        """
        CASE WHEN instr(\(text), '.') > 0 THEN rtrim(rtrim(substr(\(text), 1, instr(\(text), '.') + 9), '0'), '.') ELSE \(text) END
        """
    }

    // MARK: - Texts

    /// The text as it was written, without its zone.
    private var written: SQLFragment {
        if let literal { return "\(bind: .text(literal.textWithoutZone))" }
        guard let offset else { return utc }
        return "(CASE WHEN typeof(\(offset)) = 'integer' THEN \(Self.local(utc, offset)) ELSE \(utc) END)"
    }

    /// A time in UTC as it is in its zone. Seconds are left alone, of which SQLite knows no sixtieth.
    private static func local(_ utc: SQLFragment, _ offset: SQLFragment) -> SQLFragment {
        "strftime('%Y-%m-%dT%H:%M', substr(\(utc), 1, 16), \(offset) || ' minutes') || substr(\(utc), 17)"
    }

    /// A zone as it was written; NULL without one.
    private static func zone(_ offset: SQLFragment) -> SQLFragment {
        """
        CASE WHEN typeof(\(offset)) = 'text' THEN \(offset) WHEN \(offset) = 0 THEN 'Z' WHEN \(offset) IS NOT NULL THEN \
        CASE WHEN \(offset) < 0 THEN '-' ELSE '+' END || substr('0' || (abs(\(offset)) / 60), -2) || ':' \
        || substr('0' || (abs(\(offset)) % 60), -2) END
        """
    }

    /// The literal of a column, as the file format describes its two parts.
    static func literal(_ column: StoredColumn) -> SQLFragment {
        guard let offset = column.asideSQL else { return column.sql }
        return """
            CASE WHEN \(offset) IS NULL THEN \(column) WHEN typeof(\(offset)) = 'text' THEN \(column) || \(offset) \
            WHEN \(offset) = 0 THEN \(column) || 'Z' ELSE \(local(column.sql, offset)) || \(zone(offset)) END
            """
    }

    // MARK: - Boundaries

    /// The earliest or latest value that the literal of a column stands for (`lowBoundary`, `highBoundary`).
    static func boundary(_ column: StoredColumn, isHigh: Bool) -> SQLFragment {
        let text = column.sql
        let end: SQLFragment = isHigh ? "999" : "000"
        func milliseconds(_ length: SQLFragment) -> SQLFragment {
            "CASE WHEN length(\(text)) > \(length) THEN substr(substr(\(text), \(length) + 2) || '00', 1, 3) ELSE '\(end)' END"
        }
        let day: SQLFragment
        if isHigh {
            day = """
                CASE length(\(text)) WHEN 4 THEN \(text) || '-12-31' WHEN 7 THEN strftime('%Y-%m-%d', \(text) || '-01', '+1 month', '-1 day') \
                ELSE \(text) END
                """
        } else {
            day = "CASE length(\(text)) WHEN 4 THEN \(text) || '-01-01' WHEN 7 THEN \(text) || '-01' ELSE \(text) END"
        }
        switch column.type {
        case .date: return "(\(day))"
        case .time: return "(substr(\(text), 1, 8) || '.' || \(milliseconds("8")))"
        default:
            let time: SQLFragment = isHigh ? "T23:59:59.999-12:00" : "T00:00:00.000+14:00"
            guard let offset = column.asideSQL else { return "((\(day)) || '\(time)')" }
            let second: SQLFragment =
                "CASE WHEN typeof(\(offset)) = 'integer' THEN \(local("substr(\(text), 1, 19)", offset)) ELSE substr(\(text), 1, 19) END"
            let zone: SQLFragment = "CASE \(offset) WHEN '-00:00' THEN '+00:00' ELSE \(zone(offset)) END"
            return """
                (CASE WHEN length(\(text)) <= 10 THEN (\(day)) || '\(time)' \
                WHEN \(offset) IS NOT NULL THEN (\(second)) || '.' || (\(milliseconds("19"))) || (\(zone)) \
                WHEN length(\(text)) > 10 THEN \(SQLText.failure(if: "length(\(text)) > 10")) END)
                """
        }
    }
}

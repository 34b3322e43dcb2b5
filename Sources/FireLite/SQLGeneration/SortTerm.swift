import FireLiteCore
import FireLiteSQLiteBridge

/// A value to sort by.
struct SortTerm {
    let sql: SQLFragment
    let isDescending: Bool
    let nulls: SortKey.Nulls
    /// Its column of the result's own row, if that is indexed.
    let indexedColumn: String?
    /// Whether it is looked up in other rows than the result's own.
    let isElsewhere: Bool

    /// The same by another expression of the value.
    func sorting(by sql: SQLFragment) -> SortTerm {
        SortTerm(sql: sql, isDescending: isDescending, nulls: nulls, indexedColumn: nil, isElsewhere: isElsewhere)
    }

    var order: SQLFragment {
        // SQLite's own order has NULL before all values; stating it would only keep SQLite from using an index.
        let isNatural = (nulls == .last) == isDescending
        let direction = isDescending ? " DESC" : ""
        if isNatural { return "\(sql)\(raw: direction)" }
        if Connection.hasNullsOrder { return "\(sql)\(raw: direction) \(raw: nulls == .last ? "NULLS LAST" : "NULLS FIRST")" }
        return "\(sql) \(raw: nulls == .last ? "IS NULL" : "IS NOT NULL"), \(sql)\(raw: direction)"
    }

    /// The condition that a row comes after one with `value`; `then` decides among rows with the same value.
    func after(_ value: SQLValue, then: SQLFragment, skipsNulls: Bool) -> SQLFragment {
        if value.isNull {
            let isSame = SQLFragment.all(["\(sql) IS NULL", then])
            return nulls == .last ? isSame : .either(["\(sql) IS NOT NULL", isSame])
        }
        var parts: [SQLFragment] = [
            "\(sql) \(raw: isDescending ? "<" : ">") \(bind: value)", .all(["\(sql) = \(bind: value)", then]),
        ]
        if nulls == .last, !skipsNulls { parts.append("\(sql) IS NULL") }
        return .either(parts)
    }
}

import FireLiteCore
import FireLiteSQLiteBridge

/// A value to sort by.
struct SortTerm {
    let sql: SQLFragment
    let isDescending: Bool
    let nulls: SortKey.Nulls
    /// The column of the result's own row that it is, if an index has that.
    let indexedColumn: String?

    var order: SQLFragment {
        // SQLite's own order has NULL before all values; saying so again would only keep it from using an index.
        let isNatural = (nulls == .last) == isDescending
        let direction = isDescending ? " DESC" : ""
        if isNatural { return sql + direction }
        if Connection.hasNullsOrder { return sql + "\(direction) \(nulls == .last ? "NULLS LAST" : "NULLS FIRST")" }
        return sql + (nulls == .last ? " IS NULL, " : " IS NOT NULL, ") + sql + direction
    }

    /// The condition that a row comes after one with `value`, where `then` decides among rows with the same.
    func after(_ value: SQLValue, then: SQLFragment, skipsNulls: Bool) -> SQLFragment {
        if value.isNull {
            let isSame = SQLFragment.all([sql + " IS NULL", then])
            return nulls == .last ? isSame : .either([sql + " IS NOT NULL", isSame])
        }
        var parts = [sql + SQLFragment(" \(isDescending ? "<" : ">") ?", [value]), .all([sql + SQLFragment(" = ?", [value]), then])]
        if nulls == .last, !skipsNulls { parts.append(sql + " IS NULL") }
        return .either(parts)
    }
}

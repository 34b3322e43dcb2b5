import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// SQL conditions on one column.
struct ValueTestCompiler {
    let column: String

    /// Up to this number values are bound one by one; more go into one parameter, so that statements do not differ by their number.
    static let boundValues = 4

    func condition(_ test: ValueTest) -> SQLFragment {
        switch test {
        case .compare(let comparison, let value):
            return value.isNull ? .never : SQLFragment("\(column) \(comparison.rawValue) ?", [value])
        case .between(let lower, let upper): return SQLFragment("\(column) BETWEEN ? AND ?", [lower, upper])
        case .oneOf(let values): return oneOf(values.filter { !$0.isNull })
        case .date(let comparison, let bounds, let overlapping):
            return overlapping ? overlaps(comparison, bounds) : lies(comparison, bounds)
        case .dateOneOf(let dates): return oneOf(dates)
        case .text(let way, let text, let folding): return look(way, text, folding)
        case .referenceType(let type): return SQLFragment("\(QueryFunctions.literal)(\(column), ?) IS NOT NULL", [.text(type)])
        case .referenceTo(let type, let id):
            return SQLFragment("\(QueryFunctions.literal)(\(column), ?) = ?", [.text(type), .text(id)])
        // A date without a time has up to ten characters, and one in a column of times always more.
        case .hasTime(let hasTime): return SQLFragment("length(\(column)) \(hasTime ? ">" : "<=") 10")
        }
    }

    // MARK: - Dates

    /// The exact form: true for every moment of the stored interval.
    private func lies(_ comparison: Comparison, _ bounds: DateBounds) -> SQLFragment {
        switch comparison {
        case .equal: SQLFragment("(\(column) >= ? AND \(column) < ?)", [.text(bounds.text), .text(bounds.upper)])
        case .less: ends(by: bounds.lower)
        case .lessOrEqual: ends(by: bounds.upper)
        case .greater: SQLFragment("\(column) >= ?", [.text(bounds.upper)])
        case .greaterOrEqual: SQLFragment("\(column) >= ?", [.text(bounds.lower)])
        }
    }

    /// The overlapping form: true for some moment of the stored interval.
    private func overlaps(_ comparison: Comparison, _ bounds: DateBounds) -> SQLFragment {
        switch comparison {
        case .equal: .all([SQLFragment("\(column) < ?", [.text(bounds.upper)]), lasts(beyond: bounds.lower)])
        case .less: SQLFragment("\(column) < ?", [.text(bounds.lower)])
        case .lessOrEqual: SQLFragment("\(column) < ?", [.text(bounds.upper)])
        case .greater: lasts(beyond: bounds.upper)
        case .greaterOrEqual: lasts(beyond: bounds.lower)
        }
    }

    /// The stored interval ends before the moment, or at it.
    private func ends(by moment: String) -> SQLFragment {
        let wider = DateBounds.wider(than: moment).map { SQLValue.text($0) }
        let before = SQLFragment("\(column) < ?", [.text(moment)])
        if wider.isEmpty { return before }
        return .all([before, SQLFragment("\(column) NOT IN (\(marks(wider.count)))", wider)])
    }

    /// The stored interval ends after the moment.
    private func lasts(beyond moment: String) -> SQLFragment {
        let wider = DateBounds.wider(than: moment).map { SQLValue.text($0) }
        let after = SQLFragment("\(column) >= ?", [.text(moment)])
        if wider.isEmpty { return after }
        return .either([after, SQLFragment("\(column) IN (\(marks(wider.count)))", wider)])
    }

    private func oneOf(_ dates: [DateBounds]) -> SQLFragment {
        if dates.count <= Self.boundValues { return .either(dates.map { lies(.equal, $0) }) }
        if !Connection.hasJSON {
            // No date contains the character between the bounds.
            let rows = PackedValues(dates.map { .text("\($0.text)|\($0.upper)") }).rows
            let (lower, upper) = ("substr(value, 1, instr(value, '|') - 1)", "substr(value, instr(value, '|') + 1)")
            return "EXISTS (SELECT 1 FROM (" + rows + ") WHERE \(column) >= \(lower) AND \(column) < \(upper))"
        }
        let list = dates.map { "[\(JSONText.string($0.text)),\(JSONText.string($0.upper))]" }.joined(separator: ",")
        return SQLFragment(
            "EXISTS (SELECT 1 FROM json_each(?) j WHERE \(column) >= j.value ->> 0 AND \(column) < j.value ->> 1)", [.text("[\(list)]")])
    }

    // MARK: - Lists of values

    private func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ",") }

    private func oneOf(_ values: [SQLValue]) -> SQLFragment {
        if values.isEmpty { return .never }
        if values.count <= Self.boundValues { return SQLFragment("\(column) IN (\(marks(values.count)))", values) }
        if !Connection.hasJSON { return "\(column) IN (" + PackedValues(values).rows + ")" }
        // SQLite's JSON ends a text at a NUL, so texts with a NUL are bound separately.
        let special = values.filter { $0.text?.utf8.contains(0) ?? false || !($0.double?.isFinite ?? true) }
        if special.count > Self.boundValues { return "\(column) IN (" + ValueList.rows(values) + ")" }
        let list = values.filter { special.isEmpty || !special.contains($0) }.map(ValueList.json).joined(separator: ",")
        let plain = SQLFragment("\(column) IN (SELECT value FROM json_each(?))", [.text("[\(list)]")])
        return .either([plain] + (special.isEmpty ? [] : [SQLFragment("\(column) IN (\(marks(special.count)))", special)]))
    }

    // MARK: - Text

    private func look(_ way: TextOperator, _ text: String, _ folding: TextFolding) -> SQLFragment {
        if folding.isEmpty {
            if way == .equal { return SQLFragment("\(column) = ?", [.text(text)]) }
            if way == .hasPrefix { return prefix(text) }
        }
        return SQLFragment("\(TextMatcher.functionName)(\(column), ?, \(way.rawValue | folding.rawValue))", [.text(text)])
    }

    /// A range, which can use an index.
    private func prefix(_ text: String) -> SQLFragment {
        guard let end = Self.end(ofPrefix: text) else {
            return text.isEmpty ? SQLFragment("\(column) IS NOT NULL") : SQLFragment("\(column) >= ?", [.text(text)])
        }
        return SQLFragment("(\(column) >= ? AND \(column) < ?)", [.text(text), .text(end)])
    }

    /// The least text after all that begin with `text`; nil if there is none.
    static func end(ofPrefix text: String) -> String? {
        var scalars = Array(text.unicodeScalars)
        while let last = scalars.popLast() {
            var next = last.value + 1
            if next == 0xD800 { next = 0xE000 }
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var end = String.UnicodeScalarView()
            end.append(contentsOf: scalars)
            return String(end)
        }
        return nil
    }
}

import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// SQL conditions on one column.
struct ValueTestCompiler {
    let column: SQLFragment

    /// Up to this number values are bound one by one; more go into one parameter, so that statements do not differ by their number.
    static let boundValues = 4

    func condition(_ test: ValueTest) -> SQLFragment {
        switch test {
        case .compare(let comparison, let value):
            return value.isNull ? .never : "\(column) \(raw: comparison.rawValue) \(bind: value)"
        case .between(let lower, let upper): return "\(column) BETWEEN \(bind: lower) AND \(bind: upper)"
        case .oneOf(let values): return oneOf(values.filter { !$0.isNull })
        case .date(let comparison, let bounds, let overlapping):
            return overlapping ? overlaps(comparison, bounds) : lies(comparison, bounds)
        case .dateOneOf(let dates): return oneOf(dates)
        case .text(let way, let text, let folding): return look(way, text, folding)
        case .referenceType(let type): return "\(raw: QueryFunctions.literal)(\(column), \(bind: .text(type))) IS NOT NULL"
        case .referenceTo(let type, let id):
            return "\(raw: QueryFunctions.literal)(\(column), \(bind: .text(type))) = \(bind: .text(id))"
        // A date without a time has up to ten characters, and one in a column of times always more.
        case .hasTime(let hasTime): return "length(\(column)) \(raw: hasTime ? ">" : "<=") 10"
        }
    }

    // MARK: - Dates

    /// The exact form: true for every moment of the stored interval.
    private func lies(_ comparison: Comparison, _ bounds: DateBounds) -> SQLFragment {
        switch comparison {
        case .equal: "(\(column) >= \(bind: .text(bounds.text)) AND \(column) < \(bind: .text(bounds.upper)))"
        case .less: ends(by: bounds.lower)
        case .lessOrEqual: ends(by: bounds.upper)
        case .greater: isFrom(bounds.upper)
        case .greaterOrEqual: isFrom(bounds.lower)
        }
    }

    /// The overlapping form: true for some moment of the stored interval.
    private func overlaps(_ comparison: Comparison, _ bounds: DateBounds) -> SQLFragment {
        switch comparison {
        case .equal: .all([isBefore(bounds.upper), lasts(beyond: bounds.lower)])
        case .less: isBefore(bounds.lower)
        case .lessOrEqual: isBefore(bounds.upper)
        case .greater: lasts(beyond: bounds.upper)
        case .greaterOrEqual: lasts(beyond: bounds.lower)
        }
    }

    /// The stored interval ends before the moment, or at it.
    private func ends(by moment: String) -> SQLFragment {
        let wider = DateBounds.wider(than: moment).map { SQLValue.text($0) }
        if wider.isEmpty { return isBefore(moment) }
        return .all([isBefore(moment), "\(column) NOT IN (\(.list(wider)))"])
    }

    /// The stored interval ends after the moment.
    private func lasts(beyond moment: String) -> SQLFragment {
        let wider = DateBounds.wider(than: moment).map { SQLValue.text($0) }
        if wider.isEmpty { return isFrom(moment) }
        return .either([isFrom(moment), "\(column) IN (\(.list(wider)))"])
    }

    private func isBefore(_ text: String) -> SQLFragment { "\(column) < \(bind: .text(text))" }

    private func isFrom(_ text: String) -> SQLFragment { "\(column) >= \(bind: .text(text))" }

    private func oneOf(_ dates: [DateBounds]) -> SQLFragment {
        if dates.count <= Self.boundValues { return .either(dates.map { lies(.equal, $0) }) }
        if !Connection.hasJSON {
            // No date contains the character between the bounds.
            let rows = PackedValues(dates.map { .text("\($0.text)|\($0.upper)") }).rows
            return """
                EXISTS (SELECT 1 FROM (\(rows)) WHERE \(column) >= substr(value, 1, instr(value, '|') - 1) \
                AND \(column) < substr(value, instr(value, '|') + 1))
                """
        }
        let list = dates.map { "[\(JSONText.string($0.text)),\(JSONText.string($0.upper))]" }.joined(separator: ",")
        return """
            EXISTS (SELECT 1 FROM json_each(\(bind: .text("[\(list)]"))) j WHERE \(column) >= j.value ->> 0 AND \(column) < j.value ->> 1)
            """
    }

    // MARK: - Lists of values

    private func oneOf(_ values: [SQLValue]) -> SQLFragment {
        if values.isEmpty { return .never }
        if values.count <= Self.boundValues { return "\(column) IN (\(.list(values)))" }
        if !Connection.hasJSON { return "\(column) IN (\(PackedValues(values).rows))" }
        // SQLite's JSON ends a text at a NUL, so texts with a NUL are bound separately.
        let special = values.filter { $0.text?.utf8.contains(0) ?? false || !($0.double?.isFinite ?? true) }
        if special.count > Self.boundValues { return "\(column) IN (\(ValueList.rows(values)))" }
        let list = values.filter { special.isEmpty || !special.contains($0) }.map(ValueList.json).joined(separator: ",")
        let plain: SQLFragment = "\(column) IN (SELECT value FROM json_each(\(bind: .text("[\(list)]"))))"
        return special.isEmpty ? plain : .either([plain, "\(column) IN (\(.list(special)))"])
    }

    // MARK: - Text

    private func look(_ way: TextOperator, _ text: String, _ folding: TextFolding) -> SQLFragment {
        if folding.isEmpty {
            if way == .equal { return "\(column) = \(bind: .text(text))" }
            if way == .hasPrefix { return prefix(text) }
        }
        return "\(raw: TextMatcher.functionName)(\(column), \(bind: .text(text)), \(way.rawValue | folding.rawValue))"
    }

    /// A range, which can use an index.
    private func prefix(_ text: String) -> SQLFragment {
        guard let end = Self.end(ofPrefix: text) else {
            return text.isEmpty ? "\(column) IS NOT NULL" : isFrom(text)
        }
        return "(\(isFrom(text)) AND \(isBefore(end)))"
    }

    /// The least text after all that begin with `text`; nil if there is none.
    static func end(ofPrefix text: String) -> String? {
        // Nearly all texts end in ASCII: its byte is the character.
        if let last = text.utf8.last, last < 0x7F {
            var bytes = Array(text.utf8)
            bytes[bytes.count - 1] = last + 1
            return String(decoding: bytes, as: UTF8.self)
        }
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

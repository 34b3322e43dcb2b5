import FireLite
import FireLiteCore
import FireLiteFHIRPath

extension ExpressionCompiler {
    // MARK: - Values

    /// The value of an item as it is compared, and what it is; nil for an object.
    func value(_ value: SQLCollection.Value) -> (sql: SQLFragment, kind: SQLKind)? {
        switch value {
        case .computed(let sql, let kind): (sql, kind)
        case .column(let column): (column.sql, SQLKind(column.type))
        case .moment(let moment): ("\(bind: .text(moment.text))", .temporal(moment.primitive))
        case .nothing: ("NULL", .text)
        case .object, .choice: nil
        }
    }

    /// A primitive with an id or extensions is an item even without a value, which the value's column does not say.
    func checkValues(_ value: SQLCollection.Value) throws {
        if case .column(let column) = value, column.hasAnnotations, !isLasting { throw NotCompiled(what: "a primitive with extensions") }
    }

    /// The one value of a collection, and an error if there are several.
    ///
    /// - Parameter result: what is said about the value instead of itself.
    func scalar(_ input: SQLCollection, _ sql: SQLFragment, _ result: SQLFragment? = nil) throws -> SQLFragment {
        if input.rows.isEmpty {
            return input.conditions.isEmpty
                ? result ?? sql : "CASE WHEN \(.joined(input.conditions, " AND ")) THEN \(result ?? sql) END"
        }
        if input.isSingle { return "(SELECT \(result ?? sql) FROM \(input.from) WHERE \(input.filter()))" }
        try checkValues(input.value)
        return SQLText.only(sql, result: result ?? sql, from: input.from, filter: input.filter())
    }

    /// A collection as a condition.
    func truth(_ input: SQLCollection) throws -> SQLFragment {
        if case .nothing = input.value { return "NULL" }
        guard let (sql, kind) = value(input.value), kind == .boolean else { throw NotCompiled(what: "a condition that is not Boolean") }
        try checkValues(input.value)
        return "(\(try scalar(input, sql)))"
    }

    /// The condition that an item is there; nil if it never is.
    func presence(_ value: SQLCollection.Value) throws -> SQLFragment? {
        try checkValues(value)
        switch value {
        case .nothing: return nil
        case .moment: return .always
        case .computed(let sql, _): return "\(sql) IS NOT NULL"
        case .column(let column): return column.name == nil ? nil : "\(column) IS NOT NULL"
        case .object(let place):
            if !place.isRow, isLasting { throw NotCompiled(what: "whether there is a \(place.layout.name)") }
            let hasContent = walk.hasContent(place)
            return hasContent.isNever ? nil : hasContent
        case .choice: throw NotCompiled(what: "whether there is any value of a choice")
        }
    }

    func exists(_ input: SQLCollection) throws -> SQLFragment {
        guard let presence = try presence(input.value) else { return "0" }
        if input.rows.isEmpty { return "(\(.joined([presence] + input.conditions.map { "coalesce(\($0), 0)" }, " AND ")))" }
        return "EXISTS (SELECT 1 FROM \(input.from) WHERE \(input.filter([presence])))"
    }

    func count(_ input: SQLCollection) throws -> SQLFragment {
        guard let presence = try presence(input.value) else { return "0" }
        if input.rows.isEmpty { return try exists(input) }
        return "(SELECT count(*) FROM \(input.from) WHERE \(input.filter([presence])))"
    }
}

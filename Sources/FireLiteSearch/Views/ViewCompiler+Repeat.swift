import FireLite
import FireLiteCore
import FireLiteFHIRPath
import Foundation

extension ViewCompiler {
    /// The items that steps reach again and again, each before those below it: a recursive table with the key of each item's row, the key of the
    /// row that the steps began at, and a text of positions that sorts as the document does.
    ///
    /// Each step must lead to a list of the same table, in which rows are elements of each other. A recursion that begins anywhere but in the rows
    /// of a table has no form here.
    func repeating(_ paths: [FHIRPath], _ outer: Scope, _ part: inout Part) throws -> Scope {
        guard case .object(var start) = outer.focus.item.value, outer.focus.item.rows.isEmpty, outer.focus.item.conditions.isEmpty else {
            throw NotCompiled(what: "repeat of other than elements")
        }
        let row = start.alias
        start.alias = walk.newRow(like: start.alias)
        let found = walk.newRow()
        let first = try steps(paths, from: start)
        guard let item = first.first?.item else {
            // The file has no such rows.
            part.conditions.append(.never)
            return Scope(focus: self.item(.nothing, nil), rows: outer.rows)
        }
        var seeds = first.map { step in
            var conditions = step.conditions
            if start.isRoot { conditions.insert("\(start.alias)._parent IS NULL", at: 0) }
            return """
                SELECT \(start.alias)._k, \(step.item.alias)._k, \(step.sort) FROM \(name: start.tableName) \(start.alias)\(step.joins)\
                \(conditions.isEmpty ? "" : " WHERE \(.joined(conditions, " AND "))")
                """ as SQLFragment
        }
        let above = walk.newRow()
        var current = item
        current.alias = walk.newRow()
        for step in try steps(paths, from: current) {
            guard step.item.tableName == item.tableName else { throw NotCompiled(what: "repeat over several tables") }
            let conditions = ["\(current.alias)._k = \(above).item"] + step.conditions
            seeds.append(
                """
                SELECT \(above).start, \(step.item.alias)._k, \(above).place || \(step.sort) \
                FROM \(found) \(above) CROSS JOIN \(name: current.tableName) \(current.alias)\(step.joins) \
                WHERE \(.joined(conditions, " AND "))
                """)
        }
        guard first.allSatisfy({ $0.item.tableName == item.tableName }) else { throw NotCompiled(what: "repeat over several tables") }
        let items = walk.newRow()
        var each = item
        each.alias = walk.newRow()
        let join = form != .view ? "CROSS JOIN" : "JOIN"
        part.joins.append(
            """
             \(raw: join) (WITH RECURSIVE \(found)(start, item, place) AS (\(.joined(seeds, " UNION ALL "))) \
            SELECT start, item, place FROM \(found)) \(items) ON \(items).start = \(row)._k
            """)
        part.joins.append(" \(raw: join) \(name: each.tableName) \(each.alias) ON \(each.alias)._k = \(items).item")
        part.keys.append("\(items).place")
        let focus = ExpressionCompiler.Focus(item: SQLCollection(.object(each)), rowIndex: nil)
        return Scope(focus: focus, rows: outer.rows.union([items, each.alias]))
    }

    /// One of the steps: what is joined, and the item at its end.
    private struct RepeatStep {
        let item: StoredPlace
        let joins: SQLFragment
        let conditions: [SQLFragment]
        /// The text of the number of the step and of the positions in its lists.
        let sort: SQLFragment
    }

    private func steps(_ paths: [FHIRPath], from start: StoredPlace) throws -> [RepeatStep] {
        try paths.enumerated().compactMap { number, path in
            let focus = ExpressionCompiler.Focus(item: SQLCollection(.object(start)), rowIndex: nil)
            // A step need not fit every item: `answer.item` of a questionnaire's answers.
            guard let items = try fitting({ try expressions.collection(path.syntax, focus) }), !items.isNothing else { return nil }
            guard case .object(let item) = items.value, item.isRow, !items.rows.isEmpty else {
                throw NotCompiled(what: "repeat of other than lists of elements")
            }
            let joins = items.rows.map { " CROSS JOIN \(name: $0.table) \($0.alias) ON \($0.condition())" as SQLFragment }
            let places = items.orders.map { " || substr('000000000' || \($0), -10)" as SQLFragment }
            return RepeatStep(
                item: item, joins: .joined(joins, ""), conditions: items.conditions,
                sort: "\(bind: .text(String(format: "%04d", number)))\(.joined(places, ""))")
        }
    }

    private func fitting(_ body: () throws -> SQLCollection) throws -> SQLCollection? {
        do { return try body() } catch let error as NotCompiled where error.isUnknownElement { return nil }
    }
}

import FireLiteCore
import FireLiteSQLiteBridge

/// Several conditions on one resource of a type, compiled together. Which of them a resource meets is then one step of a statement, or of a few.
package struct RowConditions: Sendable {
    /// SQLite compiles a longer statement in more than proportional time, and the first conditions often answer.
    private static let mostInStatement = 32

    fileprivate struct Part: Sendable {
        let statement: SQLStatement
        let count: Int
    }

    fileprivate let parts: [Part]

    init(_ predicates: [Predicate], _ statement: QueryStatement) throws {
        let (compiler, scope) = (statement.compiler, statement.scope)
        // The resource is given, so conditions look up its own rows.
        compiler.candidates = 1
        var parts: [Part] = []
        for start in stride(from: 0, to: predicates.count, by: Self.mostInStatement) {
            let some = Predicate.withNamedChains(predicates[start..<min(start + Self.mostInStatement, predicates.count)])
            let conditions = try some.map { try compiler.condition(compiler.pruned($0, scope), scope, .filter) }
            compiler.definitions = [:]
            // The key is the last value, as the sets that conditions name stand at the beginning.
            let select: SQLFragment = """
                SELECT \(.joined(conditions, ", ")) FROM \(scope.table) \(scope.alias) \
                WHERE \(scope.alias)._parent IS NULL AND \(scope.alias)._k = \(bind: .null)
                """
            parts.append(Part(statement: select.statement, count: some.count))
        }
        self.parts = parts
    }
}

/// Which of the conditions a resource meets. Statements run when they are asked.
package struct MetConditions {
    private let conditions: RowConditions
    private let transaction: ReadTransaction
    private let key: Int64
    private var met: [Bool] = []
    private var parts = 0

    fileprivate init(_ conditions: RowConditions, _ transaction: ReadTransaction, _ key: Int64) {
        (self.conditions, self.transaction, self.key) = (conditions, transaction, key)
    }

    /// Whether the resource meets the condition with this number. A resource that is not stored meets none.
    package mutating func isMet(_ number: Int) throws -> Bool {
        while met.count <= number {
            let part = conditions.parts[parts]
            var row = [Bool](repeating: false, count: part.count)
            try transaction.perform(observesRestriction: true) {
                var arguments = part.statement.arguments
                arguments[arguments.count - 1] = .integer(key)
                try transaction.forEachRow(of: SQLStatement(sql: part.statement.sql, arguments: arguments)) { found in
                    for index in row.indices { row[index] = found.int(index) != 0 }
                    return false
                }
            }
            met += row
            parts += 1
        }
        return met[number]
    }
}

extension ReadTransaction {
    /// Conditions on resources of a type, compiled for the file as it is: for ``remembered(_:_:)``. The restriction does not change them.
    package func rowConditions(_ predicates: [Predicate], on layout: Layout) throws -> RowConditions {
        try perform(observesRestriction: true) {
            try RowConditions(predicates, QueryStatement(QueryRequest(layout), access, store.identity))
        }
    }

    /// Which conditions the resource with a key meets.
    package func met(_ conditions: RowConditions, by key: Int64) -> MetConditions { MetConditions(conditions, self, key) }
}

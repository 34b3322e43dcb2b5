import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The condition that a resource contains one of a type that meets a predicate: among the rows that have its number.
    func contains(_ layout: Layout, _ predicate: Predicate, _ scope: QueryScope) throws -> SQLFragment {
        guard scope.isRoot else {
            throw FHIRStoreError(.invalidArgument, "a condition on contained resources applies to a resource as a whole")
        }
        let table = schema.table(of: layout)
        guard table.isInFile, table.holdsContainedRows else { return .never }
        let (row, owner) = (newAlias(), scope.alias)
        let inner = try condition(predicate, QueryScope(alias: row, group: table.root), .filter)
        if inner.isNever { return .never }
        let link = SQLFragment("\(row)._k BETWEEN \(owner)._k + 1 AND \(owner)._k + \(Self.nodeMask) AND +\(row)._parent IS NOT NULL")
        return "EXISTS (SELECT 1 FROM \(table.quotedName) \(row) WHERE " + SQLFragment.all([link, inner]) + ")"
    }
}

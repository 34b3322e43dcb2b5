import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The rows of resources that others contain. Indexes on them have only resources that are stored on their own, so conditions filter.
    func containedScope(_ layout: Layout, alias: String) -> QueryScope { QueryScope(alias: alias, group: schema.table(of: layout).root) }

    /// The condition that a row is that of a resource in `contained` of one that meets a predicate.
    func isContained(_ scope: QueryScope, in container: QueryRequest.Container) throws -> SQLFragment {
        guard container.layout.element(named: "contained") != nil else { return .never }
        let owner = rootScope(container.layout, alias: newAlias())
        let inner = try condition(container.predicate, owner, .filter)
        if inner.isNever { return .never }
        let link = SQLFragment("\(owner.alias)._k = \(scope.alias)._k & \(Self.rootMask) AND \(owner.alias)._parent IS NULL")
        let exists = "EXISTS (SELECT 1 FROM \(owner.table.quotedName) \(owner.alias) WHERE " + SQLFragment.all([link, inner]) + ")"
        // What lies deeper is not in `contained` of the resource itself.
        return .all([SQLFragment("\(scope.alias)._parent = 0"), exists])
    }

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

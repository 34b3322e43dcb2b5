import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The rows of resources that others contain. Indexes on them have only resources that are stored on their own, so conditions filter.
    func containedScope(_ layout: Layout, alias: RowAlias) -> StoredPlace {
        StoredPlace(alias: alias, group: schema.table(of: layout).root)
    }

    /// The condition that a row is that of a resource in `contained` of one that meets a predicate.
    func isContained(_ scope: StoredPlace, in container: QueryRequest.Container) throws -> SQLFragment {
        guard container.layout.element(named: "contained") != nil else { return .never }
        let owner = rootScope(container.layout)
        let inner = try condition(container.predicate, owner, .filter)
        if inner.isNever { return .never }
        let link: SQLFragment = "\(owner.alias)._k = \(scope.alias)._k & \(TableWalk.rootMask) AND \(owner.alias)._parent IS NULL"
        let exists: SQLFragment = "EXISTS (SELECT 1 FROM \(owner.table) \(owner.alias) WHERE \(.all([link, inner])))"
        // What lies deeper is not in `contained` of the resource itself.
        return .all(["\(scope.alias)._parent = 0", exists])
    }

    /// The condition that a resource contains one of a type that meets a predicate: among the rows that have its number.
    func contains(_ layout: Layout, _ predicate: Predicate, _ scope: StoredPlace) throws -> SQLFragment {
        guard scope.isRoot else {
            throw FHIRStoreError(.invalidArgument, "a condition on contained resources applies to a resource as a whole")
        }
        try requireWhole(layout)
        let table = schema.table(of: layout)
        guard table.isInFile, table.holdsContainedRows else { return .never }
        let row = walk.newRow()
        let inner = try condition(predicate, StoredPlace(alias: row, group: table.root), .filter)
        if inner.isNever { return .never }
        let owner = scope.alias
        let link: SQLFragment =
            "\(row)._k BETWEEN \(owner)._k + 1 AND \(owner)._k + \(TableWalk.nodeMask) AND +\(row)._parent IS NOT NULL"
        return "EXISTS (SELECT 1 FROM \(table) \(row) WHERE \(.all([link, inner])))"
    }
}

import FireLiteCore

extension PredicateCompiler {
    /// The column of `Reference.reference`.
    func reference(_ leaf: QueryLeaf) throws -> QueryColumn {
        guard case .object(let scope, _) = leaf, let element = scope.group.layout.element(named: "reference"), element.kind == .primitive,
            !element.isList
        else { throw FHIRStoreError(.invalidArgument, "only a Reference points to resources: give a path to one") }
        return scope.group.queryColumn(element.slot, alias: scope.alias)
    }

    /// That a reference says one of the texts, or one of them with a version.
    func refers(_ column: QueryColumn, _ texts: [String], _ strategy: Strategy) -> SQLFragment {
        .either(
            [test(.oneOf(texts.map { .text($0) }), column, strategy)]
                + texts.filter { $0.contains("/") }.map { test(.text(.hasPrefix, "\($0)/_history/", []), column, strategy) })
    }

    /// That a reference points to a resource that fulfils a predicate.
    func target(_ column: QueryColumn, _ layout: Layout, _ predicate: Predicate, _ strategy: Strategy) throws -> SQLFragment {
        let alias = newAlias()
        let scope = rootScope(layout, alias: alias)
        let id = scope.group.queryColumn(0, alias: alias)
        guard column.name != nil, scope.table.isInFile, id.name != nil else { return .never }
        let prefix = "\(layout.name)/"
        if strategy == .filter {
            let condition = try condition(predicate, scope, .filter)
            if condition.isNever { return .never }
            let link = SQLFragment(
                "\(alias)._parent IS NULL AND \(id.sql) = substr(\(column.sql), \(prefix.utf8.count + 1)) AND substr(\(column.sql), 1, \(prefix.utf8.count)) = '\(prefix)'"
            )
            return "EXISTS (SELECT 1 FROM \"\(scope.table.name)\" \(alias) WHERE " + SQLFragment.all([link, condition]) + ")"
        }
        let condition = try condition(predicate, scope, .drive)
        if condition.isNever { return .never }
        let select = "\(column.sql) IN (SELECT '\(prefix)' || \(id.sql) FROM \"\(scope.table.name)\" \(alias) WHERE "
        return select + SQLFragment.all([SQLFragment("\(alias)._parent IS NULL"), condition]) + ")"
    }

    /// That a resource of a type that fulfils a predicate points to the one of the scope.
    func referred(by layout: Layout, _ path: QueryPath, _ predicate: Predicate, _ scope: QueryScope, _ strategy: Strategy) throws
        -> SQLFragment
    {
        guard scope.isRoot else {
            throw FHIRStoreError(.invalidArgument, "isReferred asks about a resource as a whole: use it outside of any { }")
        }
        let alias = newAlias()
        let source = rootScope(layout, alias: alias)
        let id = scope.group.queryColumn(0, alias: scope.alias)
        guard source.table.isInFile, id.name != nil, let rows = try rows(path, source) else { return .never }
        let reference = try self.reference(rows.leaf)
        guard reference.name != nil else { return .never }
        let prefix = "\(scope.group.layout.name)/"
        let from = SQLFragment("\"\(source.table.name)\" \(alias)") + rows.joins
        if strategy == .filter || (indexes.hasIndex(on: reference) && rows.isDirect) {
            let condition = try condition(predicate, source, .filter)
            if condition.isNever { return .never }
            let link = SQLFragment("\(alias)._parent IS NULL AND \(reference.sql) = '\(prefix)' || \(id.sql)")
            return "EXISTS (SELECT 1 FROM " + from + " WHERE " + SQLFragment.all([link, rows.condition, condition]) + ")"
        }
        let condition = try condition(predicate, source, .drive)
        if condition.isNever { return .never }
        // Codes compare exactly, and LIKE does not tell capitals apart, so the prefix is compared as text.
        let link = SQLFragment("\(alias)._parent IS NULL AND substr(\(reference.sql), 1, \(prefix.utf8.count)) = '\(prefix)'")
        return "\(id.sql) IN (SELECT substr(\(reference.sql), \(prefix.utf8.count + 1)) FROM " + from + " WHERE "
            + SQLFragment.all([link, rows.condition, condition]) + ")"
    }

    /// That the full-text index has each term for the resource.
    func matching(_ terms: [FullTextTerm], _ scope: QueryScope) throws -> SQLFragment {
        guard scope.isRoot else {
            throw FHIRStoreError(.invalidArgument, "matching asks about a resource as a whole: use it outside of any { }")
        }
        guard indexes.fullTextTypes.contains(scope.table.name) else {
            throw FHIRStoreError(
                .invalidArgument,
                "the store has no full-text index for \(scope.table.name): make one with fullTextIndex(\(scope.table.name).self)")
        }
        let name = "_text_\(scope.table.name)"
        return .all(
            terms.map { term in
                SQLFragment(
                    "\(scope.alias)._k IN (SELECT rowid & \(Self.rootMask) FROM \"\(name)\" WHERE \"\(name)\" MATCH ?)",
                    [.text(term.expression)])
            })
    }
}

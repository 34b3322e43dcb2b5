import FireLiteCore

extension PredicateCompiler {
    /// The column of `Reference.reference`.
    func reference(_ leaf: QueryLeaf) throws -> QueryColumn {
        guard case .object(let scope, _) = leaf, let element = scope.group.layout.element(named: "reference"), element.kind == .primitive,
            !element.isList
        else { throw FHIRStoreError(.invalidArgument, "only a Reference points to resources: give a path to one") }
        return scope.group.queryColumn(element.slot, alias: scope.alias)
    }

    /// That a reference says one of the texts, or one of them with a version or behind a base address.
    func refers(_ column: QueryColumn, _ texts: [String], _ strategy: Strategy) -> SQLFragment {
        guard column.name != nil else { return .never }
        let isIndexed = indexes.hasIndex(on: column)
        guard strategy == .drive, isIndexed, column.table.isResource, isRoot(column.alias) else {
            return .either(refersEach(column, texts, strategy))
        }
        // The index leaves out the resources that are in others, and SQLite takes no such index for conditions joined with OR.
        let alias = newAlias()
        let inner = QueryColumn(alias: alias, table: column.table, name: column.name, aside: column.aside, primitive: column.primitive)
        var keys = SQLFragment("")
        for part in refersEach(inner, texts, .drive) {
            if !keys.sql.isEmpty { keys += SQLFragment(" UNION ALL ") }
            keys += "SELECT \(alias)._k FROM \"\(column.table.name)\" \(alias) WHERE \(alias)._parent IS NULL AND " + part
        }
        return "\(column.alias)._k IN (" + keys + ")"
    }

    private func refersEach(_ column: QueryColumn, _ texts: [String], _ strategy: Strategy) -> [SQLFragment] {
        let hidesIndex = strategy == .filter && indexes.hasIndex(on: column)
        var parts = [test(.oneOf(texts.map { .text($0) }), column, strategy)]
        for text in texts {
            let segments = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            // A pk may have any characters; the type becomes a part of the statement.
            guard segments.count == 2, schema.release.resourceType(named: segments[0]) != nil else { continue }
            parts.append(test(.text(.hasPrefix, "\(text)/_history/", []), column, strategy))
            let range = Self.isAbsolute((hidesIndex ? "+" : "") + column.sql)
            parts.append(SQLFragment("(\(range) AND \(Self.targetID(column.sql, segments[0])) = ?)", [.text(segments[1])]))
        }
        return parts
    }

    /// That a reference is an absolute URL: a range, so that an index reads those alone.
    static func isAbsolute(_ reference: String) -> String { "\(reference) >= 'http' AND \(reference) < 'httq'" }

    /// The id that a reference to a type names: of `Type/id`, of an absolute URL that ends so, and of either with a version; else NULL.
    static func targetID(_ reference: String, _ type: String) -> String {
        let length = type.utf8.count + 1
        let version = "instr(\(reference), '/_history/')"
        let plain = "CASE \(version) WHEN 0 THEN \(reference) ELSE substr(\(reference), 1, \(version) - 1) END"
        // What is left when all that is no slash is taken from the end.
        let head = "rtrim(\(plain), replace(\(plain), '/', ''))"
        return "CASE WHEN substr(\(reference), 1, \(length)) = '\(type)/' THEN substr(\(plain), \(length + 1)) "
            + "WHEN \(isAbsolute(reference)) AND substr(\(head), \(-length - 1)) = '/\(type)/' THEN substr(\(plain), length(\(head)) + 1) END"
    }

    /// That a reference points to a resource that fulfils a predicate.
    ///
    /// Where an index has the references, it is asked for those to each target, without a version and with one; beside them only the
    /// absolute URLs are read. The targets are found once.
    func target(_ column: QueryColumn, _ layout: Layout, _ predicate: Predicate, _ strategy: Strategy) throws -> SQLFragment {
        let alias = newAlias()
        let scope = rootScope(layout, alias: alias)
        let id = scope.group.queryColumn(0, alias: alias)
        guard let name = column.name, scope.table.isInFile, id.name != nil else { return .never }
        let condition = try condition(predicate, scope, strategy)
        if condition.isNever { return .never }
        if strategy == .filter {
            let link = SQLFragment("\(alias)._parent IS NULL AND \(id.sql) = \(Self.targetID(column.sql, layout.name))")
            return "EXISTS (SELECT 1 FROM \"\(scope.table.name)\" \(alias) WHERE " + SQLFragment.all([link, condition]) + ")"
        }
        let targets =
            "SELECT \(id.sql) FROM \"\(scope.table.name)\" \(alias) WHERE "
            + SQLFragment.all([SQLFragment("\(alias)._parent IS NULL AND \(id.sql) IS NOT NULL"), condition])
        // An index on a resource type's table leaves out the resources that are in others.
        guard indexes.hasIndex(on: column), !column.table.isResource || isRoot(column.alias) else {
            return "\(Self.targetID(column.sql, layout.name)) IN (" + targets + ")"
        }
        let (found, other) = ("ids_\(alias)", newAlias())
        let reference = "\(other).\"\(name)\""
        let isRow = column.table.isResource ? " AND \(other)._parent IS NULL" : ""
        let text = "'\(layout.name)/' || \(found).id"
        let from = "SELECT \(other)._k FROM \(found) CROSS JOIN \"\(column.table.name)\" \(other) WHERE"
        return "\(column.alias)._k IN (WITH \(found)(id) AS (" + targets
            + """
            ) \(from) \(reference) = \(text)\(isRow) \
            UNION ALL \(from) \(reference) >= \(text) || '/_history/' AND \(reference) < \(text) || '/_history0'\(isRow) \
            UNION ALL SELECT \(other)._k FROM "\(column.table.name)" \(other) WHERE \(Self.isAbsolute(reference))\(isRow) \
            AND \(Self.targetID(reference, layout.name)) IN (SELECT id FROM \(found)))
            """
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
        let column = try self.reference(rows.leaf)
        guard column.name != nil else { return .never }
        let (type, reference) = (scope.group.layout.name, column.sql)
        let isIndexed = indexes.hasIndex(on: column) && rows.isDirect
        let condition = try condition(predicate, source, isIndexed ? .filter : .drive)
        if condition.isNever { return .never }
        func references(_ select: String, _ link: String) -> SQLFragment {
            let link = SQLFragment("\(alias)._parent IS NULL AND \(link)")
            return "SELECT \(select) FROM \"\(source.table.name)\" \(alias)" + rows.joins + " WHERE "
                + SQLFragment.all([link, rows.condition, condition])
        }
        let target = Self.targetID(reference, type)
        guard isIndexed else { return "\(id.sql) IN (" + references(target, "\(reference) IS NOT NULL") + ")" }
        let text = "'\(type)/' || \(id.sql)"
        return .either([
            "EXISTS (" + references("1", "\(reference) = \(text)") + ")",
            "EXISTS (" + references("1", "\(reference) >= \(text) || '/_history/' AND \(reference) < \(text) || '/_history0'") + ")",
            "\(id.sql) IN (" + references(target, Self.isAbsolute(reference)) + ")",
        ])
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

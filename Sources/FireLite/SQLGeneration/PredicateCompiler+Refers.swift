import FireLiteCore

extension PredicateCompiler {
    /// The column of `Reference.reference`.
    func reference(_ leaf: QueryLeaf) throws -> QueryColumn {
        guard case .object(let scope, _) = leaf, let element = scope.group.layout.element(named: "reference"), element.kind == .primitive,
            !element.isList
        else { throw FHIRStoreError(.invalidArgument, "only a Reference points to resources: pass a path to one") }
        return scope.group.queryColumn(element.slot, alias: scope.alias)
    }

    /// The condition that a reference leads to the target of one of the texts: `Type/id`, also with a version and a base address, or a
    /// `urn:uuid:`.
    func refers(_ column: QueryColumn, _ texts: [String], _ strategy: Strategy) -> SQLFragment {
        guard column.name != nil else { return .never }
        let isIndexed = indexes.hasIndex(on: column)
        guard strategy == .drive, isIndexed, column.table.isResource, isRoot(column.alias) else {
            return .either(refersEach(column, texts, strategy))
        }
        return among(column) { refersEach($0, texts, .drive) }
    }

    /// The condition that one of several conditions on the indexed column of a resource type's table holds.
    ///
    /// The index excludes contained resources, and SQLite uses no such index for conditions joined with OR.
    private func among(_ column: QueryColumn, _ conditions: (QueryColumn) -> [SQLFragment]) -> SQLFragment {
        let alias = newAlias()
        let inner = QueryColumn(alias: alias, table: column.table, name: column.name, aside: column.aside, primitive: column.primitive)
        var keys = SQLFragment("")
        for part in conditions(inner) {
            if !keys.sql.isEmpty { keys += SQLFragment(" UNION ALL ") }
            keys += "SELECT \(alias)._k FROM \(column.table.quotedName) \(alias) WHERE \(alias)._parent IS NULL AND " + part
        }
        return keys.sql.isEmpty ? .never : .key(of: column.alias, in: keys, .resources)
    }

    /// The condition that a test's column passes one of its alternatives; nil if it has none, or there is no index of a resource type's column.
    func amongAlternatives(_ test: ValueTest, _ column: QueryColumn) -> SQLFragment? {
        arms(test, column) == nil ? nil : among(column) { self.arms(test, of: $0) }
    }

    /// The conditions for the alternatives of a test; nil as for `amongAlternatives`.
    func arms(_ test: ValueTest, _ column: QueryColumn) -> [SQLFragment]? {
        guard indexes.hasIndex(on: column), column.table.isResource, isRoot(column.alias) else { return nil }
        let arms = arms(test, of: column)
        return arms.count > 1 ? arms : nil
    }

    private func arms(_ test: ValueTest, of column: QueryColumn) -> [SQLFragment] {
        test.alternatives.map { ValueTestCompiler(column: column.sql).condition($0) }
    }

    /// The forms of a reference that leads there, each of which can use an index.
    func refersEach(_ column: QueryColumn, _ texts: [String], _ strategy: Strategy) -> [SQLFragment] {
        let hidesIndex = strategy == .filter && indexes.hasIndex(on: column)
        var plain: [SQLValue] = []
        var parts: [SQLFragment] = []
        for text in texts {
            let reference = ReferenceParts(text)
            if reference.form == .uuid { plain.append(.text(text)) }
            // The type becomes a part of the statement.
            guard reference.form == .relative, reference.version == nil, let type = reference.type, let id = reference.id,
                schema.release.hasResourceType(named: type)
            else { continue }
            plain.append(.text(text))
            let isTarget = SQLFragment("\(ReferenceText.id(column.sql, type)) = ?", [.text(id)])
            parts.append(.all([test(.text(.hasPrefix, "\(text)/_history/", []), column, strategy), isTarget]))
            parts.append(.all([SQLFragment(ReferenceText.isAbsolute((hidesIndex ? "+" : "") + column.sql)), isTarget]))
        }
        return plain.isEmpty ? [] : [test(.oneOf(plain), column, strategy)] + parts
    }
}

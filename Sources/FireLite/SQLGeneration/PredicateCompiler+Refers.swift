import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The column of `Reference.reference`.
    func reference(_ leaf: QueryLeaf) throws -> StoredColumn {
        guard case .object(let scope, _) = leaf, let element = scope.group.layout.element(named: "reference"), element.kind == .primitive,
            !element.isList
        else { throw FHIRStoreError(.invalidArgument, "only a Reference points to resources: pass a path to one") }
        return scope.group.queryColumn(element.slot, alias: scope.alias)
    }

    /// The condition that a reference leads to the target of one of the texts: `Type/id`, also with a version and one of the store's base
    /// addresses, or a `urn:uuid:`. A text with a version leads to references with that version, and one under a foreign base to those under it.
    func refers(_ column: StoredColumn, _ texts: [String], _ strategy: Strategy) -> SQLFragment {
        guard column.name != nil else { return .never }
        let isIndexed = indexes.hasIndex(on: column)
        guard strategy == .drive, isIndexed, column.table.isResource, column.alias.isResource else {
            return .either(refersEach(column, texts, strategy))
        }
        return among(column) { refersEach($0, texts, .drive) }
    }

    /// Conditions on a resource's own row, each with an index, of which every row that a predicate leads to meets exactly one; nil if it is no reference,
    /// or a row could meet several.
    func separateArms(_ predicate: Predicate, _ scope: StoredPlace) throws -> [SQLFragment]? {
        guard case .refers(let path, let texts) = predicate, scope.isRoot, case .leaf(let leaf) = try walk(path.steps[...], scope) else {
            return nil
        }
        var column = try reference(leaf)
        let forms = ReferenceForms(texts, bases: bases)
        guard column.name != nil, column.alias == scope.alias, column.table.isResource, indexes.hasIndex(on: column), forms.areSeparate,
            forms.versioned.count <= ValueTestCompiler.boundValues
        else { return nil }
        // Each arm has the condition that makes it one of resources.
        column.alias = RowAlias(column.alias.number)
        let arms = refersEach(column, texts, .drive)
        return arms.count > 1 ? arms : nil
    }

    /// The condition that one of several conditions on the indexed column of a resource type's table holds.
    ///
    /// The index excludes contained resources, and SQLite uses no such index for conditions joined with OR.
    private func among(_ column: StoredColumn, _ conditions: (StoredColumn) -> [SQLFragment]) -> SQLFragment {
        let alias = walk.newRow()
        var inner = column
        inner.alias = alias
        let parts = conditions(inner)
        if parts.isEmpty { return .never }
        let selects = parts.map {
            "SELECT \(alias)._k FROM \(column.table) \(alias) WHERE \(alias)._parent IS NULL AND \($0)" as SQLFragment
        }
        return .key(of: column.alias, in: .joined(selects, " UNION ALL "), .resources, terms: parts.count)
    }

    /// The condition that a test's column passes one of its alternatives; nil if it has none, or there is no index of a resource type's column.
    func amongAlternatives(_ test: ValueTest, _ column: StoredColumn) -> SQLFragment? {
        arms(test, column) == nil ? nil : among(column) { self.arms(test, of: $0) }
    }

    /// The conditions for the alternatives of a test; nil as for `amongAlternatives`.
    func arms(_ test: ValueTest, _ column: StoredColumn) -> [SQLFragment]? {
        guard indexes.hasIndex(on: column), column.table.isResource, column.alias.isResource else { return nil }
        let arms = arms(test, of: column)
        return arms.count > 1 ? arms : nil
    }

    private func arms(_ test: ValueTest, of column: StoredColumn) -> [SQLFragment] {
        test.alternatives.map { ValueTestCompiler(column: column.sql).condition($0) }
    }

    /// The forms of references that lead there, each of which can use an index.
    func refersEach(_ column: StoredColumn, _ texts: [String], _ strategy: Strategy) -> [SQLFragment] {
        let forms = ReferenceForms(texts, bases: bases)
        guard !forms.texts.isEmpty else { return [] }
        let exact = test(.oneOf(forms.texts.map { .text($0) }), column, strategy)
        if forms.versioned.isEmpty { return [exact] }
        if forms.versioned.count <= ValueTestCompiler.boundValues, indexes.hasIndex(on: column) {
            return [exact]
                + forms.versioned.map { text in
                    let isVersion: SQLFragment = "\(ReferenceText.unversioned(column.sql)) = \(bind: .text(text))"
                    return .all([test(.text(.hasPrefix, "\(text)/_history/", []), column, strategy), isVersion])
                }
        }
        return [exact, versions(of: forms.versioned, column)]
    }

    /// The condition that a reference is one of some texts with a version: an index is searched for each text, and without one each reference is
    /// read.
    private func versions(of texts: [String], _ column: StoredColumn) -> SQLFragment {
        // An index on a resource type's table has only the resources that are not contained.
        guard indexes.hasIndex(on: column), !column.table.isResource || column.alias.isResource else {
            let isOne = ValueTestCompiler(column: ReferenceText.unversioned(column.sql)).condition(.oneOf(texts.map { .text($0) }))
            return .all(["instr(\(column), '/_history/') > 0", isOne])
        }
        let list = ValueList.rows(texts)
        let (text, row) = (walk.newRow(), walk.newRow())
        let reference: SQLFragment = "\(row).\(name: column.name ?? "")"
        let isRow: SQLFragment = column.table.isResource ? "\(row)._parent IS NULL AND " : ""
        let isVersion = ReferenceText.isVersion(reference, of: "\(text).value")
        return """
            \(column.alias)._k IN (SELECT \(row)._k FROM (\(list)) \(text) CROSS JOIN \(column.table) \(row) \
            WHERE \(isRow)\(isVersion) AND \(ReferenceText.unversioned(reference)) = \(text).value)
            """
    }
}

/// The texts of references that lead where some references do.
struct ReferenceForms {
    /// All texts without a version, and those with one that is asked for.
    private(set) var texts: [String] = []
    /// Those that may have any version.
    private(set) var versioned: [String] = []
    /// The number of references that are not by UUID.
    private var count = 0
    private var namesVersions = false

    /// Whether each stored reference is of one form at most.
    ///
    /// Those of several references need not be: one with a version is also one with any version, and one under a base may be the other without.
    var areSeparate: Bool { count < 2 && !namesVersions && Set(versioned.map { ExactText($0) }).count == versioned.count }

    init(_ references: [String], bases: [String]) {
        for text in references {
            let reference = ReferenceParts(text)
            switch reference.form {
            case .uuid: texts.append(text)
            case .relative, .absolute:
                guard let type = reference.type, let id = reference.id else { continue }
                count += 1
                let key = "\(type)/\(id)"
                // Under the address of somebody else it is only found as it is written.
                let stems = reference.isLocal(bases) ? [key] + bases.map { "\($0)/\(key)" } : ["\(reference.base ?? "")/\(key)"]
                if let version = reference.version {
                    namesVersions = true
                    texts += stems.map { "\($0)/_history/\(version)" }
                } else {
                    texts += stems
                    versioned += stems
                }
            case .contained, .oid, .other: continue
            }
        }
    }
}

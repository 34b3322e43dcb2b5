import FireLiteCore

extension PredicateCompiler {
    /// The row of a list that a path has reached.
    struct ListStep {
        let table: TablePlan
        /// The member that rows fill: for resources in resources, and for lists that share a table with another list of their owner.
        let member: String?
        let scope: QueryScope
        /// The number of steps of the path so far.
        let consumed: Int

        func renamed(_ name: () -> String) -> ListStep {
            let scope = QueryScope(alias: name(), group: scope.group, isValue: scope.isValue)
            return ListStep(table: table, member: member, scope: scope, consumed: consumed)
        }

        /// Whether the file has such rows at all.
        var exists: Bool { table.isInFile && (member == nil || table.holdsContainedRows) }
    }

    /// The condition that some element at the path meets another condition.
    func some(
        _ path: ArraySlice<PathStep>, _ scope: QueryScope, _ strategy: Strategy, _ leaf: (QueryLeaf) throws -> SQLFragment
    ) throws -> SQLFragment {
        if let distant = try lookingAhead({ try distantList(path, scope) })?.renamed(newAlias) {
            let inner = try some(path.dropFirst(distant.consumed), distant.scope, strategy, leaf)
            return among(distant, by: scope, inner, strategy, key: "\(distant.scope.alias)._k", isDirect: true)
        }
        switch try walk(path, scope) {
        case .leaf(let end): return try leaf(end)
        case .list(let step, let position):
            guard step.exists else { return .never }
            let inner = try some(path.dropFirst(step.consumed), step.scope, strategy, leaf)
            let alias = step.scope.alias
            var conditions = [inner]
            if let position { conditions.insert(SQLFragment("\(alias)._ord = ?", [.integer(Int64(position))]), at: 0) }
            if let member = step.member { conditions.insert(SQLFragment("\(alias).\"_member\" = ?", [.text(member)]), at: 0) }
            return among(
                step, by: scope, .all(conditions), strategy, key: "\(alias)._k & \(Self.rootMask) | \(alias)._parent", isDirect: false)
        }
    }

    /// The condition that a matching row of a list belongs to the row of a scope.
    private func among(
        _ step: ListStep, by scope: QueryScope, _ condition: SQLFragment, _ strategy: Strategy, key: String, isDirect: Bool
    ) -> SQLFragment {
        if condition.isNever { return .never }
        let alias = step.scope.alias
        func rows(_ key: String) -> SQLFragment {
            let select = "SELECT \(key) FROM \(step.table.quotedName) \(alias)"
            return condition.isAlways ? SQLFragment(select) : select + " WHERE " + condition
        }
        if strategy == .filter {
            guard isDirect else { return owned(step.table, alias, by: scope, where: condition) }
            let range = SQLFragment("\(alias)._k BETWEEN \(scope.alias)._k AND \(scope.alias)._k + \(Self.nodeMask)")
            return "EXISTS (SELECT 1 FROM \(step.table.quotedName) \(alias) WHERE " + SQLFragment.all([range, condition]) + ")"
        }
        guard isDirect else { return "\(scope.alias)._k IN (" + rows(key) + ")" }
        // The rows that an index leads to are not looked up.
        let keys = condition.select(of: alias, .rows).map { "SELECT k & \(Self.rootMask) FROM (" + $0 + ")" }
        return .key(of: scope.alias, in: keys ?? rows("\(key) & \(Self.rootMask)"), .resources)
    }

    // MARK: - Steps

    enum Walk {
        case leaf(QueryLeaf)
        case list(ListStep, position: Int?)
    }

    /// Follows to-one elements to the end of the path or to the next list.
    func walk(_ path: ArraySlice<PathStep>, _ start: QueryScope) throws -> Walk {
        var scope = start
        var index = path.startIndex
        var isRow = true
        if scope.isValue {
            guard let first = path.first else { return .leaf(.column(scope.table.queryValueColumn(alias: scope.alias))) }
            guard first.kind == .annotation else { throw Self.invalidPath }
            scope.isValue = false
            index += 1
        }
        while index < path.endIndex {
            let step = path[index]
            let elements = scope.group.layout.elements
            guard step.kind != .annotation, elements.indices.contains(step.slot) else { throw Self.invalidPath }
            let element = elements[step.slot]
            let consumed = index - path.startIndex + 1
            isRow = false
            if element.kind == .resource { return .list(try resourceList(step, scope, consumed), position: step.position) }
            if element.isList {
                let table = schema.child(of: scope.group, step.slot)
                let inner = QueryScope(alias: newAlias(), group: table.root, isValue: table.primitive != nil)
                let member = scope.group.members[step.slot].sharesChild ? scope.group.path(to: step.slot) : nil
                return .list(ListStep(table: table, member: member, scope: inner, consumed: consumed), position: step.position)
            }
            let isLast = index == path.endIndex - 1
            switch element.kind {
            case .primitive where isLast:
                if let choice = element.choice, choice.slots.lowerBound == step.slot, step.position == PathStep.wholeChoice {
                    return .leaf(.choice(scope, choice.slots))
                }
                return .leaf(.column(scope.group.queryColumn(step.slot, alias: scope.alias)))
            case .primitive:
                guard path[index + 1].kind == .annotation else { throw Self.invalidPath }
                scope = QueryScope(alias: scope.alias, group: schema.annotation(scope.group, step.slot))
                index += 1
            default:
                if let choice = element.choice, step.position == PathStep.wholeChoice { return .leaf(.choice(scope, choice.slots)) }
                scope = QueryScope(alias: scope.alias, group: schema.group(scope.group, step.slot))
            }
            index += 1
        }
        return .leaf(.object(scope, isRow: isRow))
    }

    private func resourceList(_ step: PathStep, _ scope: QueryScope, _ consumed: Int) throws -> ListStep {
        guard case .resource(let typeName) = step.kind, let layout = schema.release.resourceLayout(named: typeName) else {
            throw FHIRStoreError(.invalidArgument, "resources in resources have several types", remedy: .nameContainedType)
        }
        let table = schema.table(of: layout)
        let inner = QueryScope(alias: newAlias(), group: table.root)
        return ListStep(table: table, member: scope.group.path(to: step.slot), scope: inner, consumed: consumed)
    }

    /// The last list of a path whose rows identify the resource by their keys alone, so that no table in between must be read.
    ///
    /// That is so if no position is given, no table on the way has rows at several depths, and no resource of the type is contained.
    func distantList(_ path: ArraySlice<PathStep>, _ scope: QueryScope) throws -> ListStep? {
        guard scope.isRoot, !scope.table.holdsContainedRows else { return nil }
        var rest = path
        var current = scope
        var consumed = 0
        var found: ListStep?
        while case .list(let step, nil) = try walk(rest, current), step.member == nil, step.table.isInFile, !step.table.isShared {
            consumed += step.consumed
            found = ListStep(table: step.table, member: nil, scope: step.scope, consumed: consumed)
            current = step.scope
            rest = rest.dropFirst(step.consumed)
        }
        return found
    }

    static var invalidPath: FHIRStoreError {
        FHIRStoreError(.invalidArgument, "a path does not lead to an element of the class: build it from generated properties")
    }
}

extension PathStep {
    /// The position of a step for a choice element with all its types.
    static let wholeChoice = -1
}

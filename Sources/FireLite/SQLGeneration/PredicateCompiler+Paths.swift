import FireLiteCore

extension PredicateCompiler {
    /// The row of a list that a path has reached.
    struct ListStep {
        let list: StoredList
        /// The number of steps of the path so far.
        let consumed: Int

        var table: TablePlan { list.table }
        var scope: StoredPlace { list.row }
    }

    /// The condition that some element at the path meets another condition.
    func some(
        _ path: ArraySlice<PathStep>, scope: StoredPlace, strategy: Strategy, leaf: (QueryLeaf) throws -> SQLFragment
    ) throws -> SQLFragment {
        if let distant = try distantList(path, scope) {
            let inner = try some(path.dropFirst(distant.consumed), scope: distant.scope, strategy: strategy, leaf: leaf)
            return among(distant.list, by: scope, inner, strategy, isDirect: true)
        }
        switch try walk(path, scope) {
        case .leaf(let end): return try leaf(end)
        case .list(let step, let position):
            guard step.list.exists else { return .never }
            let inner = try some(path.dropFirst(step.consumed), scope: step.scope, strategy: strategy, leaf: leaf)
            return among(
                step.list, by: scope, position.map { .all([step.list.isAt(Int64($0)), inner]) } ?? inner, strategy, isDirect: false)
        }
    }

    /// The condition that a matching row of a list belongs to the row of a scope.
    private func among(
        _ list: StoredList, by scope: StoredPlace, _ condition: SQLFragment, _ strategy: Strategy, isDirect: Bool
    ) -> SQLFragment {
        if condition.isNever { return .never }
        let alias = list.row.alias
        func rows(_ key: SQLFragment) -> SQLFragment {
            let condition = list.isMember.map { SQLFragment.all([$0, condition]) } ?? condition
            return condition.isAlways
                ? "SELECT \(key) FROM \(list.table) \(alias)" : "SELECT \(key) FROM \(list.table) \(alias) WHERE \(condition)"
        }
        if strategy == .filter {
            guard isDirect else { return walk.exists(list, where: condition) }
            let isOfResource = TableWalk.isOfResource(alias, scope.alias)
            return "EXISTS (SELECT 1 FROM \(list.table) \(alias) WHERE \(.all([isOfResource, condition])))"
        }
        guard isDirect else { return "\(scope.alias)._k IN (\(rows(TableWalk.ownerKey(of: alias))))" }
        // The rows that an index leads to are not looked up.
        let keys: SQLFragment? = condition.select(of: alias, .rows).map { "SELECT k & \(TableWalk.rootMask) FROM (\($0))" }
        return .key(of: scope.alias, in: keys ?? rows("\(alias)._k & \(TableWalk.rootMask)"), .resources)
    }

    // MARK: - Steps

    enum Walk {
        case leaf(QueryLeaf)
        case list(ListStep, position: Int?)
    }

    /// Follows to-one elements to the end of the path or to the next list.
    func walk(_ path: ArraySlice<PathStep>, _ start: StoredPlace) throws -> Walk {
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
                return .list(ListStep(list: walk.list(step.slot, of: scope), consumed: consumed), position: step.position)
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
                scope = StoredPlace(alias: scope.alias, group: schema.annotation(scope.group, step.slot))
                index += 1
            default:
                if let choice = element.choice, step.position == PathStep.wholeChoice { return .leaf(.choice(scope, choice.slots)) }
                scope = StoredPlace(alias: scope.alias, group: schema.group(scope.group, step.slot))
            }
            index += 1
        }
        return .leaf(.object(scope, isRow: isRow))
    }

    private func resourceList(_ step: PathStep, _ scope: StoredPlace, _ consumed: Int) throws -> ListStep {
        guard case .resource(let typeName) = step.kind, let layout = schema.release.resourceLayout(named: typeName) else {
            throw FHIRStoreError(.invalidArgument, "resources in resources have several types", remedy: .nameContainedType)
        }
        return ListStep(list: walk.resources(layout, in: step.slot, of: scope), consumed: consumed)
    }

    /// The last list of a path whose rows identify the resource by their keys alone, so that no table in between must be read.
    ///
    /// That is so if no position is given, no table on the way has rows at several depths, and no resource of the type is contained.
    func distantList(_ path: ArraySlice<PathStep>, _ scope: StoredPlace) throws -> ListStep? {
        guard scope.isRoot, !scope.table.holdsContainedRows else { return nil }
        var rest = path
        var current = scope
        var consumed = 0
        var found: ListStep?
        while case .list(let step, nil) = try walk(rest, current), step.list.member == nil, step.table.isInFile, !step.table.isShared {
            consumed += step.consumed
            found = ListStep(list: step.list, consumed: consumed)
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

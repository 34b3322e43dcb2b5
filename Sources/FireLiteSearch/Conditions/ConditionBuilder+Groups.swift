import FireLite

extension ConditionBuilder {
    /// What becomes of more conditions than one statement takes.
    ///
    /// Many conditions search for rows with a cursor of their own, again for each resource, and SQLite goes through all cursors of a statement whenever
    /// it opens or closes one. The time for one resource grows with the square of the conditions, so groups of them are evaluated one after another.
    enum Grouping {
        /// They stay together: nothing may be evaluated before the condition is used.
        case none
        /// Groups of them are evaluated on the resources that meet those before.
        case ofStored
        /// They are refused: contained resources have no keys to carry on.
        case ofContained
    }

    /// The maximum number of tests that are compiled into one statement.
    private static let mostTogether = 100
    /// The number of tests in a group.
    private static let groupSize = 32

    /// The condition that all of the conditions are met.
    ///
    /// - Throws: `SearchError.notSupported` for too many on contained resources; `FHIRStoreError`.
    func all(_ parts: [Predicate], on layout: Layout) throws -> Predicate {
        guard try isGrouped(parts, on: layout) else { return parts.count == 1 ? parts[0] : .and(parts) }
        var groups = Self.groups(parts)
        let last = groups.removeLast()
        var found: [Predicate] = []
        for group in groups {
            let keys = try keys(.and(found + group), on: layout)
            if keys.isEmpty { return .constant(false) }
            found = [.keys(keys)]
        }
        return .and(found + last)
    }

    /// The condition that one of the conditions is met.
    ///
    /// - Throws: `SearchError.notSupported` for too many on contained resources; `FHIRStoreError`.
    func any(_ parts: [Predicate], on layout: Layout) throws -> Predicate {
        // Those that ask for one value become a list, which is one test.
        let listed = parts.filter(\.isListed)
        let others = parts.filter { !$0.isListed }
        guard try isGrouped(others, on: layout) else { return .or(parts) }
        var keys: Set<Int64> = []
        for group in Self.groups(others) { keys.formUnion(try self.keys(.or(group), on: layout)) }
        return .or(listed + [.keys(keys.sorted())])
    }

    /// The condition, of whose alternatives groups are evaluated if they are very many, such as the beginnings of texts in five elements of a name.
    ///
    /// They are counted, and not their tests: codes of many systems are one alternative, and SQLite reads a list of them once.
    /// - Throws: `SearchError.notSupported` for too many on contained resources; `FHIRStoreError`.
    func anyOfMany(_ condition: Predicate, on layout: Layout) throws -> Predicate {
        let parts = condition.disjuncts
        return parts.count > Self.mostTogether ? try any(parts, on: layout) : condition
    }

    private func isGrouped(_ parts: [Predicate], on layout: Layout) throws -> Bool {
        guard parts.count > 1, parts.reduce(0, { $0 + $1.tests }) > Self.mostTogether else { return false }
        switch grouping {
        case .none: return false
        case .ofStored: return transaction.hasTable(of: layout)
        case .ofContained:
            throw SearchError(.notSupported, "a search of contained resources has at most \(Self.mostTogether) conditions: use fewer")
        }
    }

    private static func groups(_ parts: [Predicate]) -> [[Predicate]] {
        var groups: [[Predicate]] = []
        var room = 0
        for part in parts {
            if groups.isEmpty || part.tests > room {
                groups.append([])
                room = groupSize
            }
            groups[groups.count - 1].append(part)
            room -= part.tests
        }
        return groups
    }

    private func keys(_ predicate: Predicate, on layout: Layout) throws -> [Int64] {
        var request = QueryRequest(layout)
        request.predicate = predicate
        return try transaction.places(request).map(\.key)
    }
}

extension Predicate {
    /// The parts of a disjunction, at any depth.
    fileprivate var disjuncts: [Predicate] {
        if case .or(let parts) = self { return parts.flatMap(\.disjuncts) }
        return [self]
    }

    /// The number of tests that it consists of.
    fileprivate var tests: Int {
        switch self {
        case .constant: 0
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.tests }
        case .not(let inner), .any(_, let inner): max(inner.tests, 1)
        case .target(_, _, let inner), .referredBy(_, _, let inner), .contains(_, let inner), .named(_, _, let inner, _): 1 + inner.tests
        case .value, .sampled, .exists, .count, .refers, .keys, .selected, .matching: 1
        }
    }

    /// Whether it asks for values that a list of several such conditions can ask for at once.
    fileprivate var isListed: Bool {
        switch self {
        case .value(_, .compare(.equal, _)), .value(_, .oneOf), .refers: true
        default: false
        }
    }
}

import FireLiteCore

extension PredicateCompiler {
    /// Up to this number of rows of the leading condition are looked up to test the others on them.
    private static let mostLookedUp = 512
    /// Looking up a resource's row costs about as much as reading so many keys in an index.
    private static let keysPerLookUp = 8

    /// For each of several conditions a statement for the keys of the resources that meet it, or of rows in them, all from indexes; nil if
    /// counting the resources that are in all of these sets costs more than looking up those that the leading condition leaves.
    func keySets(_ parts: [Predicate], _ scope: StoredPlace) throws -> [SQLFragment]? {
        guard try readsSets(parts, scope) else { return nil }
        var sets: [SQLFragment] = []
        for part in parts {
            guard let set = try union([part], scope).select(of: scope.alias, .resources) else { return nil }
            sets.append(set)
        }
        return sets
    }

    private func readsSets(_ parts: [Predicate], _ scope: StoredPlace) throws -> Bool {
        let leads = try parts.enumerated().map { try self.leads($1, $0, scope) }
        guard !leads.isEmpty, !leads.contains(where: \.isEmpty) else { return false }
        let areOwn = leads.map { $0.contains(where: \.isOwn) }
        for (part, isOwn) in zip(parts, areOwn) where !isOwn {
            guard try condition(part, scope, .drive).select(of: scope.alias, .resources) != nil else { return false }
        }
        // A single condition on the row itself needs no look-up in any case.
        if parts.count == 1 { return !areOwn[0] }
        let all = leads.flatMap { $0 }
        if try fewest(all, atMost: Self.mostLookedUp) != nil { return false }
        let share = try statistics.size(of: scope.table) / QueryPlan.selectiveShare
        guard let best = try fewest(all, atMost: share, isCounted: true) else { return true }
        let most = best.rows * Self.keysPerLookUp
        return try leads.allSatisfy { try $0.contains { try !hasMore($0, than: most) } }
    }
}

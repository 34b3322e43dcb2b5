import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The condition on the least or greatest value of `SampledData`, which a function reads from its text.
    func sampled(_ leaf: QueryLeaf, bound: SampledBound, comparison: Comparison, number: Double) throws -> SQLFragment {
        guard case .object(let scope, _) = leaf, let data = column("data", scope), data.name != nil else { return .never }
        var origin: SQLFragment = "NULL"
        if let element = scope.group.layout.element(named: "origin") {
            let quantity = StoredPlace(alias: scope.alias, group: schema.group(scope.group, element.slot))
            origin = column("value", quantity)?.sql ?? origin
        }
        let others = ["factor", "lowerLimit", "upperLimit"].map { column($0, scope)?.sql ?? "NULL" }
        let arguments = SQLFragment.joined([data.sql, origin] + others + ["\(bound.rawValue)"], ", ")
        return "\(raw: QueryFunctions.sampled)(\(arguments)) \(raw: comparison.rawValue) \(bind: .real(number))"
    }

    private func column(_ name: String, _ scope: StoredPlace) -> StoredColumn? {
        scope.group.layout.element(named: name).map { scope.group.queryColumn($0.slot, alias: scope.alias) }
    }
}

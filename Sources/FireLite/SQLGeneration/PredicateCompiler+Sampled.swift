import FireLiteCore
import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The condition on the least or greatest value of `SampledData`, which a function reads from its text.
    func sampled(_ leaf: QueryLeaf, _ bound: SampledBound, _ comparison: Comparison, _ number: Double) throws -> SQLFragment {
        guard case .object(let scope, _) = leaf, let data = column("data", scope), data != "NULL" else {
            return .never
        }
        var origin = "NULL"
        if let element = scope.group.layout.element(named: "origin") {
            let quantity = QueryScope(alias: scope.alias, group: schema.group(scope.group, element.slot))
            origin = column("value", quantity) ?? origin
        }
        let others = ["factor", "lowerLimit", "upperLimit"].map { column($0, scope) ?? "NULL" }
        let arguments = ([data, origin] + others + ["\(bound.rawValue)"]).joined(separator: ", ")
        return SQLFragment("\(QueryFunctions.sampled)(\(arguments)) \(comparison.rawValue) ?", [.real(number)])
    }

    private func column(_ name: String, _ scope: QueryScope) -> String? {
        scope.group.layout.element(named: name).map { scope.group.queryColumn($0.slot, alias: scope.alias).sql }
    }
}

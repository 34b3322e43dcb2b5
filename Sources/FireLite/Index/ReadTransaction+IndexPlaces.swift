import FireLiteCore
import FireLiteSQLiteBridge

extension ReadTransaction {
    /// The table and column at the end of a path, whether they exist or not.
    func place(_ path: QueryPath, _ layout: Layout) throws -> (table: TablePlan, column: String) {
        var group = access.schema.table(of: layout).root
        for (index, step) in path.steps.enumerated() {
            guard step.kind == .element, step.position == nil else {
                throw FHIRStoreError(
                    .invalidArgument,
                    "an index covers all positions of a list, and elements of the type itself: remove the position or type from the path")
            }
            let element = group.layout.elements[step.slot]
            let isLast = index == path.steps.count - 1
            if element.kind == .primitive {
                guard isLast else { break }
                return element.isList ? (access.schema.child(of: group, step.slot), "value") : (group.table, group.prefix + element.name)
            }
            group = element.isList ? access.schema.child(of: group, step.slot).root : access.schema.group(group, step.slot)
        }
        throw FHIRStoreError(.invalidArgument, "an index is on primitives: name a primitive element of the complex one")
    }

    /// The table and column that an index on a path covers; nil for a path that none can be on.
    package func indexedColumn(_ path: QueryPath, of layout: Layout) -> (table: String, column: String)? {
        guard let (table, column) = try? place(path, layout) else { return nil }
        return (table.name, column)
    }
}

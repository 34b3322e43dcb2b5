import FireLiteCore

/// The constraints that objects of one class are checked by.
struct ClassPlan: Sendable {
    /// Those of the class and of the types it derives from.
    let own: [CompiledConstraint]
    /// Those of an element where it stands in this class, by slot.
    let elements: [[CompiledConstraint]]
    /// Those of every element, for primitives with an id or extensions.
    let ofPrimitives: [CompiledConstraint]

    init(_ layout: Layout, _ constraints: [String: [CompiledConstraint]]) {
        var own: [CompiledConstraint] = []
        var elements = [[CompiledConstraint]](repeating: [], count: layout.elements.count)
        var current: Layout? = layout
        while let base = current {
            own = (constraints[base.name] ?? []) + own
            for element in layout.elements {
                let paths = ["\(base.name).\(element.name)"] + (element.choice.map { ["\(base.name).\($0.name)"] } ?? [])
                // A backbone element's own class has the constraints of its path.
                for path in paths where element.layout?.name != path {
                    if let found = constraints[path] { elements[element.slot] += found }
                }
            }
            current = base.base
        }
        self.own = own
        self.elements = elements
        ofPrimitives = constraints["Element"] ?? []
    }
}

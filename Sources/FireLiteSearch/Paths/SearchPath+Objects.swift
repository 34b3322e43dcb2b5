import FireLite

extension SearchPath {
    /// The elements at the path in a resource in memory; none for a path with filters.
    func objects(in object: FHIRObject) -> [FHIRObject] {
        guard filters.isEmpty else { return [] }
        var current = [object]
        for step in steps {
            current = current.flatMap { object -> [FHIRObject] in
                switch object.value(step.slot) {
                case .object(let child)?: [child]
                case .objects(let children)?: children
                default: []
                }
            }
        }
        return current
    }
}

/// A path to values to sort by, which may lead through some of the elements only.
package struct SortPath: Sendable {
    /// A condition on the elements at the end of a path.
    package struct Filter: Sendable {
        /// From the resource, or from the element of the filter before.
        let path: QueryPath
        let condition: Predicate

        package init(path: QueryPath, condition: Predicate) {
            self.path = path
            self.condition = condition
        }
    }

    let filters: [Filter]
    /// From the resource, or from the element of the last filter.
    let path: QueryPath

    package init(_ path: QueryPath, filters: [Filter] = []) {
        self.path = path
        self.filters = filters
    }
}

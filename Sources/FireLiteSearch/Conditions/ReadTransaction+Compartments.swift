import FireLite

extension ReadTransaction {
    /// The condition that a resource of a type is in the compartment of another one, such as `Patient/1`.
    ///
    /// - Throws: `SearchError`; `FHIRStoreError`.
    package func compartmentCondition(_ type: String, _ id: String, on layout: Layout) throws -> FireLite.Predicate {
        let builder = ConditionBuilder(self, ParameterCatalog(store), SearchOptions())
        return try builder.inCompartment(
            SearchRequest.Compartment(type: type, id: id), Compartments.known(store.release.name), on: layout)
    }
}

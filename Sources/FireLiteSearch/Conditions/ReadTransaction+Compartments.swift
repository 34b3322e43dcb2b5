import FireLite

extension ReadTransaction {
    /// The condition that a resource of a type is in the compartment of another one, such as `Patient/1`.
    ///
    /// - Parameter underAnyBase: whether a reference to `Patient/1` under an address that the store does not know counts as well: for what hides
    ///   something, as it might be the store's.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    package func compartmentCondition(
        _ type: String, _ id: String, on layout: Layout, underAnyBase: Bool = false
    ) throws -> FireLite.Predicate {
        var builder = ConditionBuilder(self, catalog: ParameterCatalog(store), options: SearchOptions())
        builder.countsAnyBase = underAnyBase
        return try builder.inCompartment(
            SearchRequest.Compartment(type: type, id: id), Compartments.known(store.release.name), on: layout)
    }
}

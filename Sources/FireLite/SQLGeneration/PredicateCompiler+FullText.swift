import FireLiteSQLiteBridge

extension PredicateCompiler {
    /// The condition that the full-text index contains each term for the resource.
    func matching(_ terms: [FullTextTerm], _ scope: StoredPlace) throws -> SQLFragment {
        guard scope.isRoot else {
            throw FHIRStoreError(.invalidArgument, "matching applies to a resource as a whole: use it outside of any { }")
        }
        guard indexes.fullTextTypes.contains(scope.table.name) else {
            throw FHIRStoreError(
                .invalidArgument,
                "the store has no full-text index for \(scope.table.name)", remedy: .makeFullTextIndex(type: scope.table.name))
        }
        let name = "_text_\(scope.table.name)"
        return .all(
            terms.map { term in
                """
                \(scope.alias)._k IN (SELECT rowid & \(TableWalk.rootMask) FROM \(name: name) WHERE \(name: name) \
                MATCH \(bind: .text(term.expression)))
                """
            })
    }
}

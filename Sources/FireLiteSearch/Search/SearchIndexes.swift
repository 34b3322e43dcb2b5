import FireLite

/// The indexes that parameters need.
struct SearchIndexes {
    let transaction: ReadTransaction
    let catalog: ParameterCatalog

    /// An index on the values at a path.
    struct Need: Hashable {
        let layoutName: String
        let path: QueryPath
        let isCaseless: Bool
        /// Its name in the file.
        let name: String
    }

    /// The indexes for a parameter of a type.
    func needs(_ definition: SearchDefinition, on layout: Layout) throws -> [Need] {
        let compiled = try catalog.compiled(definition, on: layout)
        var needs: [Need] = []
        for path in compiled.paths {
            for value in values(path, definition.kind) {
                let steps = QueryPath(value.filters.flatMap(\.path.steps) + value.steps)
                let isCaseless = definition.kind == .string
                guard let place = transaction.indexedColumn(steps, of: layout) else { continue }
                let name = "\(place.table)__\(place.column)" + (isCaseless ? "__caseless" : "")
                let need = Need(layoutName: layout.name, path: steps, isCaseless: isCaseless, name: name)
                if !needs.contains(need) { needs.append(need) }
            }
        }
        return needs
    }

    private func values(_ path: SearchPath, _ kind: SearchDefinition.Kind) -> [SearchPath] {
        if kind == .string { return StringMatcher.texts(path) }
        return SortPaths.values(path, kind)
    }

    /// The parameters of conditions that an index could serve, with their types: of chains, each step.
    func uses(_ name: String, on layout: Layout) throws -> [(definition: SearchDefinition, layout: Layout)] {
        if name.hasPrefix("_has:") {
            let parts = name.split(separator: ":", maxSplits: 3).map(String.init)
            guard parts.count == 4, let source = layout.release.resourceLayout(named: parts[1]),
                let reference = try catalog.parameter(parts[2], on: source)
            else { return [] }
            return [(reference, source)] + (try uses(parts[3], on: source))
        }
        let parts = SearchParameterName(name)
        guard let definition = try catalog.parameter(parts.code, on: layout), definition.expression != nil, definition.kind != .composite,
            definition.kind != .special
        else { return [] }
        guard let chain = parts.chain else { return [(definition, layout)] }
        let builder = ConditionBuilder(transaction, catalog: catalog, options: SearchOptions())
        let targets = try catalog.compiled(definition, on: layout).paths.flatMap { builder.targets(of: $0, definition, parts.modifier) }
        var seen: Set<String> = []
        return [(definition, layout)] + (try targets.filter { seen.insert($0.name).inserted }.flatMap { try uses(chain, on: $0) })
    }
}

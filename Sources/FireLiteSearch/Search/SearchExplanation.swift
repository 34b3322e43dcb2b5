import FireLite
import FireLiteCore

/// How a search runs: its statements, and the indexes that serve it or would.
public struct SearchExplanation: Sendable {
    /// A statement for one type.
    public struct Statement: Sendable {
        /// The type of its results.
        public let type: String
        /// The statement, with `?` for values.
        public let sql: String
        /// The statement with the values of the search as literals, as `sql(_:arguments:)` of a store and `firelite sql` take it.
        public let sqlWithValues: String
        /// SQLite's plan, a line for each step.
        public let plan: String
    }

    /// The statement of each type.
    public let statements: [Statement]
    /// The names of the indexes in the file that serve the parameters.
    public let indexes: [String]
    /// The parameters whose indexes are missing, as `createIndexes(forSearch:)` takes them: `Patient.name`.
    public let missing: [String]
}

extension FHIRStore {
    /// How a search runs, without running it.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read.
    public func explainSearch(_ address: String, options: SearchOptions = SearchOptions()) throws -> SearchExplanation {
        let request = try SearchRequest(address)
        return try read { transaction in
            let run = try SearchRun(transaction, request, options)
            let requests = try run.requests().requests
            let built = Set(try indexes().filter(\.isBuilt).map(\.name))
            let indexed = SearchIndexes(transaction: transaction, catalog: run.catalog)
            var serving: Set<String> = []
            var missing: Set<String> = []
            var statements: [SearchExplanation.Statement] = []
            for request in requests {
                var query = request.query
                query.limit = run.control.count ?? options.pageSize
                statements.append(
                    SearchExplanation.Statement(
                        type: request.query.layout.name, sql: try statementText(query), sqlWithValues: try expandedStatement(query),
                        plan: try explain(query)))
                // No index has contained resources.
                if run.control.contained != .none, !run.control.returnsContained || request.query.container != nil { continue }
                let sorted = run.control.sort.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
                for name in run.control.conditions.map(\.name) + sorted {
                    for (definition, layout) in try indexed.uses(name, on: request.layout) where definition.code != "_id" {
                        let needs = try indexed.needs(definition, on: layout)
                        let here = needs.filter { built.contains($0.name) || sets(built, $0.name) }
                        serving.formUnion(here.map(\.name))
                        if here.isEmpty, !needs.isEmpty { missing.insert("\(layout.name).\(definition.code)") }
                    }
                }
            }
            return SearchExplanation(statements: statements, indexes: serving.sorted(), missing: missing.sorted())
        }
    }

    /// Whether a declared set has made an index.
    private func sets(_ built: Set<String>, _ name: String) -> Bool {
        let type = name.split(separator: "_").first.map(String.init) ?? ""
        let ends = [
            ("references", "reference"), ("identifiers", "identifier__value"), ("codes", "coding__code"),
        ]
        return ends.contains { set, end in (built.contains("*__\(set)") || built.contains("\(type)__\(set)")) && name.hasSuffix(end) }
    }

    /// Creates the indexes that search parameters need; those that exist stay.
    ///
    /// ```swift
    /// try store.createIndexes(forSearch: ["Patient.name", "Observation.code", "Observation.patient", "Observation.date"])
    /// ```
    /// Strings get indexes that ignore case, one for each element that the parameter searches.
    /// - Parameters:
    ///   - parameters: the type, a dot, and the parameter.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    /// - Returns: the indexes, also those that a first value will create.
    /// - Throws: `SearchError` for an unknown type or parameter; `FHIRStoreError`.
    @discardableResult
    public func createIndexes(forSearch parameters: [String], progress: StoreProgressHandler? = nil) throws -> [StoreIndex] {
        let needs = try read { transaction -> [SearchIndexes.Need] in
            let catalog = ParameterCatalog(self)
            return try parameters.flatMap { parameter -> [SearchIndexes.Need] in
                let parts = parameter.split(separator: ".", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw SearchError(.invalid, "write Type.parameter", in: parameter) }
                guard let layout = release.resourceLayout(named: parts[0]) else {
                    let hint = NearWords.hint(for: parts[0], among: release.resourceTypeNames)
                    throw SearchError(.unknownType, "'\(parts[0])' is not a resource type of FHIR \(release.name)\(hint)", in: parameter)
                }
                guard let definition = try catalog.parameter(parts[1], on: layout) else {
                    let hint = catalog.hint(for: parts[1], on: layout)
                    throw SearchError(.unknownParameter, "\(layout.name) has no such parameter\(hint)", in: parameter)
                }
                guard definition.kind != .composite, definition.kind != .special else {
                    throw SearchError(.notSupported, "a composite needs the indexes of its parts", in: parameter)
                }
                return try SearchIndexes(transaction: transaction, catalog: catalog).needs(definition, on: layout)
            }
        }
        var indexes: [StoreIndex] = []
        var seen: Set<SearchIndexes.Need> = []
        for need in needs where seen.insert(need).inserted {
            guard let layout = release.resourceLayout(named: need.layoutName) else { continue }
            indexes.append(
                need.isCaseless
                    ? try createCaselessIndex(layout, need.path, progress: progress)
                    : try createIndex(layout, [need.path], progress: progress))
        }
        return indexes
    }
}

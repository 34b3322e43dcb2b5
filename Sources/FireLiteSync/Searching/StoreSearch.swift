import FireLite
import FireLiteSearch

/// A search in the store, for a synchronizer.
struct StoreSearch: Sendable {
    private let base: String
    private let request: SearchRequest
    private let options: SearchOptions

    /// - Parameter base: the server's base address.
    init(base: String, _ request: SearchRequest, _ options: SearchOptions) {
        self.base = base
        self.request = request
        self.options = options
    }

    /// - Throws: `SearchError`.
    func result(_ tx: ReadTransaction) throws -> SearchResult { try tx.search(request, options: options) }

    /// Whether the store has an answer of its own: it finds something, and was given everything of the type.
    func hasAnswer(_ tx: ReadTransaction) throws -> Bool {
        guard try isPulled(tx) else { return false }
        var options = options
        // What the store does not understand, the server may.
        options.handling = .strict
        options.countsTotal = false
        do { return try !tx.search(request.conditionsAlone.count(1), options: options).matches.isEmpty } catch is SearchError {
            return false
        }
    }

    // MARK: - What was pulled

    /// Parameters whose answer depends on other types, or on what only a server knows.
    private static let dependent: Set<String> = [
        "_has", "_include", "_revinclude", "_filter", "_list", "_query", "_text", "_content", "_type",
    ]

    /// Whether everything that the search is about was pulled from the server: its type, its compartment, or a search with some of its conditions. A
    /// search that depends on other types, by a chain or an include, never counts as pulled.
    func isPulled(_ tx: ReadTransaction) throws -> Bool {
        guard let type = request.type, !request.isEverything else { return false }
        let names = request.parameters.map(\.name)
        guard !names.contains(where: { name in name.contains(".") || Self.dependent.contains(String(name.prefix { $0 != ":" })) }) else {
            return false
        }
        let server: [SQLValue] = [.text(base), .text(type)]
        let purged = try tx.rows(
            of: SyncJournal.tables,
            "SELECT 1 FROM _sync_resource WHERE server = (SELECT server FROM _sync_server WHERE base = ?) AND type = ? AND own = 2 LIMIT 1",
            server)
        let unreadable = try tx.rows(
            of: SyncJournal.tables,
            "SELECT 1 FROM _sync_unreadable WHERE server = (SELECT server FROM _sync_server WHERE base = ?) AND type = ? LIMIT 1", server)
        guard purged.isEmpty, unreadable.isEmpty else { return false }
        return try tx.rows(
            of: SyncJournal.tables,
            """
            SELECT search FROM _sync_scope WHERE server = (SELECT server FROM _sync_server WHERE base = ?) AND type = ? AND since IS NOT NULL
              AND page IS NULL
            """, server
        ).contains { $0[0].text.map(covers) ?? false }
    }

    /// Whether what a search of a scope has pulled contains what this one looks for.
    private func covers(_ key: String) -> Bool {
        guard !key.hasPrefix("_") else { return false }
        let halves = key.split(separator: "?", maxSplits: 1).map(String.init)
        let path = request.compartment.map { "\($0.type)/\($0.id)/\(request.type ?? "")" }
        guard halves[0] == request.type || halves[0] == path else { return false }
        let conditions = halves.count > 1 ? halves[1].split(separator: "&") : []
        return conditions.allSatisfy { condition in
            let sides = condition.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? String($0) }
            return sides.count == 2 && request.parameters.contains { $0.name == sides[0] && $0.value == sides[1] }
        }
    }

    // MARK: - The server's matches

    /// What a server has found, as the store has it now, and matches with changes that the server does not know.
    ///
    /// - Returns: the result, and whether it has every match: not if the store cannot say which resources with such changes match.
    func result(_ found: ServerMatches, _ tx: ReadTransaction) throws -> (result: SearchResult, isComplete: Bool) {
        func stored(_ keys: [SyncKey]) throws -> [FHIRResource] {
            try keys.compactMap { try tx.resource(typeName: $0.typeName, id: $0.id) }
        }
        let unsent = try unsent(except: Set(found.matches), tx)
        let matches = try stored(found.matches) + (unsent ?? [])
        let isComplete = found.isComplete && unsent != nil
        let result = SearchResult(
            request, release: tx.store.release, matches: matches, included: try stored(found.included),
            total: isComplete ? matches.count : nil, base: options.base)
        return (result, isComplete)
    }

    /// - Returns: nil if there may be some, and the store does not understand the search.
    private func unsent(except found: Set<SyncKey>, _ tx: ReadTransaction) throws -> [FHIRResource]? {
        guard let type = request.type else { return [] }
        let rows = try tx.rows(
            of: SyncJournal.tables,
            "SELECT DISTINCT id FROM _sync_change WHERE server = (SELECT server FROM _sync_server WHERE base = ?) AND type = ?",
            [.text(base), .text(type)])
        let ids = Set(rows.compactMap { $0[0].text }).subtracting(found.map(\.id))
        guard !ids.isEmpty else { return [] }
        var options = options
        options.handling = .strict
        options.pageSize = nil
        do {
            return try tx.search(request.conditionsAlone, options: options).matches.filter { ids.contains($0.id ?? "") }
        } catch is SearchError { return nil }
    }
}

extension SearchRequest {
    /// The same search without what says which page is returned, and how.
    fileprivate var conditionsAlone: SearchRequest {
        var request = SearchRequest(type: type, in: compartment)
        for parameter in parameters where !ServerSearch.shapes.contains(String(parameter.name.prefix { $0 != ":" })) {
            request = request.where(parameter.name, parameter.value)
        }
        return request
    }
}

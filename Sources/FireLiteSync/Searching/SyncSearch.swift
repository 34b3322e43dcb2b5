import FireLite
import FireLiteSearch

/// Who answers a search of a ``Synchronizer``: the store, the server, or one if the other cannot.
public enum SearchPolicy: String, Sendable, Hashable {
    /// The store alone. Nothing is sent.
    case store
    /// The store, and the server if the store does not have it: if the search finds nothing here, or if its type was never pulled completely. If the
    /// server cannot answer, the store's matches are the answer, with the error.
    case storeThenServer
    /// The server, and the store if the server cannot answer, with the error.
    case serverThenStore
    /// The server alone. If it cannot answer, that is an error.
    case server
}

/// The answer to a search: see `Synchronizer.search(_:_:limit:options:)`.
public struct SyncSearchResult {
    /// The source of the answer.
    public enum Source: String, Sendable {
        /// The store.
        case store
        /// The server. What it has sent is stored by now.
        case server
    }

    /// The matches and included resources, as the store has them now, with unsent changes. The server's matches are in its order, followed
    /// by matches with changes that it does not know yet.
    public let result: SearchResult
    /// The source of the answer.
    public let source: Source
    /// Whether these are all matches on the server, as far as can be known. If the store answered: its type was pulled completely, so none
    /// was missing at the last pull. If the server answered: there is no further page, every resource was readable, and the
    /// store knows of every change that waits whether it matches.
    public let isComplete: Bool
    /// Why the server did not answer, if it was asked and the store answered instead.
    public let failure: (any Error)?
    /// Parameters about order, pages and includes that the server ignored. If it ignores a condition, its answer does not count.
    public let ignored: [String]

    /// The resources that match, in their order.
    public var matches: [FHIRResource] { result.matches }
    /// The resources that `_include` and `_revinclude` add.
    public var included: [FHIRResource] { result.included }
}

extension Synchronizer {
    /// Searches in the store and at the server.
    ///
    /// ```swift
    /// let found = try await synchronizer.search("Observation?code=http://loinc.org|8480-6&patient=Patient/1")
    /// ```
    /// The server's matches are stored like pulled resources, so the store finds them from then on, and later pulls keep them up to date.
    /// The server gets the parameters without `_summary`, `_elements` and `_total`, as whole resources are stored; without `_count` all
    /// pages are read.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it, of one type, perhaps in a compartment.
    ///   - policy: who answers.
    ///   - limit: the maximum number of matches to read from the server.
    ///   - options: how the store interprets the search.
    /// - Throws: `SearchError` if the search is invalid, or the store should answer and cannot; `SyncError.invalidArgument` for a search
    ///   that is not sent: of all types, an operation, contained resources; `SyncError.ignoredParameters` if the server ignores a
    ///   condition; `FHIRClientError`; `AuthorizationError`; `FHIRStoreError`; `CancellationError`. A token that is refused and a
    ///   certificate that is not trusted are errors with every policy that asks the server.
    public func search(
        _ address: String, _ policy: SearchPolicy = .storeThenServer, limit: Int = 1_000, options: SearchOptions = SearchOptions()
    ) async throws -> sending SyncSearchResult {
        try await search(SearchRequest(address), policy, limit: limit, options: options)
    }

    /// Searches in the store and at the server.
    ///
    /// - Parameters:
    ///   - request: the search.
    ///   - policy: who answers.
    ///   - limit: the maximum number of matches to read from the server.
    ///   - options: how the store interprets the search.
    /// - Throws: as ``search(_:_:limit:options:)-(String,_,_,_)``.
    public func search(
        _ request: SearchRequest, _ policy: SearchPolicy = .storeThenServer, limit: Int = 1_000, options: SearchOptions = SearchOptions()
    ) async throws -> sending SyncSearchResult {
        let local = StoreSearch(base: base, request, options)
        do {
            _ = try await store.read { try $0.hasTables(of: SyncJournal.tables) }
        } catch let error as FHIRStoreError where error.code == .olderFormat {
            // Tables of an earlier version of the library.
            try await journal { _ in }
        }
        switch policy {
        case .store: return try await answer(local, failure: nil)
        case .storeThenServer: if try await store.read({ try local.hasAnswer($0) }) { return try await answer(local, failure: nil) }
        case .serverThenStore, .server: break
        }
        let found: ServerMatches
        do {
            found = try await matches(ServerSearch(request, pageSize: configuration.pageSize), limit: limit)
        } catch  where policy != .server && Self.isLeftToStore(error) {
            let failure = error
            do { return try await answer(local, failure: failure) } catch is SearchError { throw failure }
        }
        return try await store.read { tx in
            let (result, isComplete) = try local.result(found, tx)
            return SyncSearchResult(result: result, source: .server, isComplete: isComplete, failure: nil, ignored: found.ignored)
        }
    }

    private func answer(_ local: StoreSearch, failure: (any Error)?) async throws -> sending SyncSearchResult {
        try await store.read { tx in
            let result = try local.result(tx)
            let isComplete = try local.isPulled(tx) && result.next == nil
            return SyncSearchResult(result: result, source: .store, isComplete: isComplete, failure: failure, ignored: [])
        }
    }

    /// Whether the store answers instead of a server that fails in this way: it is not there or does not know how. What concerns access and trust is for
    /// the app to decide.
    private static func isLeftToStore(_ error: any Error) -> Bool {
        switch error {
        case let error as FHIRClientError:
            switch error.code {
            case .cannotConnect, .connectionLost, .serverFailed, .tooManyRequests, .invalidResponse, .rejected, .notFound, .gone: true
            default: false
            }
        case let error as AuthorizationError: error.code == .noAnswer
        case let error as SyncError: error.code == .ignoredParameters
        default: false
        }
    }
}

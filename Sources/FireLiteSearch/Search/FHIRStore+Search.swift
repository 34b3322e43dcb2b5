import FireLite
import Foundation

extension FHIRStore {
    /// Searches by FHIR's search parameters.
    ///
    /// ```swift
    /// let result = try store.search("Patient?name=peter&birthdate=ge1970&_sort=-birthdate&_count=20")
    /// ```
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) throws -> SearchResult {
        try search(SearchRequest(address), options: options)
    }

    /// Searches by FHIR's search parameters.
    ///
    /// - Parameters:
    ///   - request: the search.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read.
    public func search(_ request: SearchRequest, options: SearchOptions = SearchOptions()) throws -> SearchResult {
        try read { try $0.search(request, options: options) }
    }

    /// `search` without blocking the caller.
    ///
    /// - Parameters:
    ///   - address: the search as FHIR writes it.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read; `CancellationError`.
    public func search(_ address: String, options: SearchOptions = SearchOptions()) async throws -> sending SearchResult {
        try await search(SearchRequest(address), options: options)
    }

    /// `search` without blocking the caller.
    ///
    /// - Parameters:
    ///   - request: the search.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read; `CancellationError`.
    public func search(_ request: SearchRequest, options: SearchOptions = SearchOptions()) async throws -> sending SearchResult {
        try await read { try $0.search(request, options: options) }
    }
}

extension ReadTransaction {
    /// Searches by FHIR's search parameters, on this transaction's view.
    ///
    /// - Parameters:
    ///   - request: the search.
    ///   - options: how to interpret it.
    /// - Throws: `SearchError`; `FHIRStoreError` if the store cannot be read.
    public func search(_ request: SearchRequest, options: SearchOptions = SearchOptions()) throws -> SearchResult {
        try asOneCall {
            let run = try SearchRun(self, request, options)
            return try counting(asBase: run.base) { try run.run() }
        }
    }
}

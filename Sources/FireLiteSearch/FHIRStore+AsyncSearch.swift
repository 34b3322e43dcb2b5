import FireLite
import Foundation

// The calls of this module that touch the file, without blocking the caller. `search` itself stands beside its blocking form, and
// `rows(_:)` is a sequence.

extension FHIRStore {
    // MARK: - Explanations and indexes

    /// How a search runs, without blocking the caller: see the blocking `explainSearch(_:options:)`.
    ///
    /// - Throws: `SearchError`; `FHIRStoreError`; `CancellationError`.
    public func explainSearch(_ address: String, options: SearchOptions = SearchOptions()) async throws -> SearchExplanation {
        try await reading { try self.explainSearch(address, options: options) }
    }

    /// Creates the indexes that search parameters can use, without blocking the caller. Cancelling the
    /// task rolls back the index that is being built.
    ///
    /// - Parameters:
    ///   - parameters: as for the blocking form.
    ///   - progress: receives the number of rows indexed so far, an estimate. Default: none.
    /// - Throws: `SearchError`; errors of `progress`; `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func createIndexes(
        forSearch parameters: [String], progress: ProgressHandler<StoreProgress>? = nil
    ) async throws -> [StoreIndex] {
        try await writing { try self.createIndexes(forSearch: parameters, progress: progress) }
    }

    // MARK: - Views

    /// Creates a view in the file as an SQL view, without blocking the caller: see the blocking `createView(_:named:)`.
    ///
    /// - Throws: `ViewError`; `FHIRStoreError`; `CancellationError`.
    public func createView(_ view: ViewDefinition, named name: String? = nil) async throws {
        try await writing { try self.createView(view, named: name) }
    }

    /// Creates the ready-made views in the file, without blocking the caller.
    ///
    /// - Returns: the names of the views.
    /// - Throws: `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func createStandardViews() async throws -> [String] { try await writing { try self.createStandardViews() } }

    /// A view as it is published in a lake, without blocking the caller: see the blocking form.
    ///
    /// - Throws: as the blocking form does; `CancellationError`.
    public func published(_ view: ViewDefinition) async throws -> PublishedView { try await reading { try self.published(view) } }

    /// The SQL statement that gives the rows of a view, without blocking the caller.
    ///
    /// - Throws: `ViewError`, with code `notCompiled` if the view cannot be one statement; `FHIRStoreError`; `CancellationError`.
    public func sql(of view: ViewDefinition) async throws -> String { try await reading { try self.sql(of: view) } }

    /// Writes the rows of a view to a file, without blocking the caller: see the blocking `writeRows(of:as:to:replacing:)`.
    /// Cancelling the task leaves no file.
    ///
    /// - Returns: the number of rows.
    /// - Throws: `ViewError`; `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func writeRows(of view: ViewDefinition, as format: ViewFormat, to file: URL, replacing: Bool = false) async throws -> Int {
        try await reading { try self.writeRows(of: view, as: format, to: file, replacing: replacing) }
    }
}

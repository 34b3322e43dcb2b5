import Foundation

/// A query for app data by annotations and metadata, in the order of ids. It runs when you ask for a result.
public struct AppDataQuery: Sendable {
    let appData: AppData
    private var filter = RecordFilter()
    private var statuses: Set<RecordStatus> = [.active]
    private var last: String?
    private var maximum: Int?
    private var skipped = 0

    init(_ appData: AppData) { self.appData = appData }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var query = self
        change(&query)
        return query
    }

    // MARK: - Conditions

    /// Only app data with all of these annotations; several calls combine.
    public func annotated(_ annotations: String...) -> Self { annotated(all: annotations) }

    /// Only app data with all of these annotations; several calls combine.
    public func annotated(all annotations: [String]) -> Self { with { $0.filter.all += annotations } }

    /// Only app data with at least one of these annotations; the last call counts.
    public func annotated(any annotations: [String]) -> Self { with { $0.filter.any = annotations } }

    /// Only app data created in a period, both ends included.
    public func created(from: QueryDate? = nil, to: QueryDate? = nil) -> Self {
        with { $0.filter.created = RecordPeriod(from: from, to: to) }
    }

    /// Only app data last updated in a period, both ends included.
    public func updated(from: QueryDate? = nil, to: QueryDate? = nil) -> Self {
        with { $0.filter.updated = RecordPeriod(from: from, to: to) }
    }

    /// Only app data with one of these statuses. Default: active.
    public func status(_ statuses: Set<RecordStatus>) -> Self { with { $0.statuses = statuses } }

    /// Also deleted app data, in `summaries()` and `count()`.
    public func includingDeleted() -> Self { with { $0.statuses.insert(.deleted) } }

    /// Limits the number of results.
    ///
    /// - Precondition: not negative.
    public func limit(_ count: Int) -> Self {
        misuse(unless: count >= 0, "a limit is 0 or more")
        return with { $0.maximum = count }
    }

    /// Skips the first results.
    ///
    /// - Precondition: not negative.
    public func offset(_ count: Int) -> Self {
        misuse(unless: count >= 0, "an offset is 0 or more")
        return with { $0.skipped = count }
    }

    /// Only results after this id.
    public func after(_ id: String?) -> Self { with { $0.last = id } }

    // MARK: - Results

    /// The app data, without deleted ones.
    ///
    /// - Throws: ``RecordError``, also if sealed app data cannot be opened: see `opened()`; `FHIRStoreError`.
    public func all() throws -> [AppDataRecord] {
        try appData.store.read { tx in try stored.rows(tx).map { try appData.record($0, tx) } }
    }

    /// The app data, without deleted ones, and the sealed app data that cannot be opened.
    ///
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError`.
    public func opened() throws -> BatchResult<AppDataRecord> {
        try appData.store.read { tx in try .collecting(stored.rows(tx), id: \.id) { try appData.record($0, tx) } }
    }

    /// Metadata and annotations, also of deleted app data if the query includes it.
    ///
    /// - Parameter opensAnnotations: whether sealed annotations are opened; false omits them, and needs no keyring. Default: true.
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func summaries(opensAnnotations: Bool = true) throws -> [RecordSummary] {
        try appData.store.read { tx in try rows(tx).map { try appData.summary($0, tx, opensAnnotations) } }
    }

    /// The number of results.
    ///
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError`.
    public func count() throws -> Int { try appData.store.read { try rows($0).count } }

    /// A page by its number.
    ///
    /// - Parameters:
    ///   - number: the number of the page, from 1.
    ///   - size: the number of results of a page.
    /// - Precondition: both are at least 1.
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func page(number: Int, size: Int = 10) throws -> [AppDataRecord] {
        misuse(unless: number > 0 && size > 0, "pages are counted from 1, and have a size of 1 or more")
        return try limit(size).offset((number - 1) * size).all()
    }

    // MARK: - Parts

    private var stored: Self { with { $0.statuses.remove(.deleted) } }

    private func rows(_ tx: ReadTransaction) throws -> [RecordRow] {
        var sql = try appData.filterSQL(filter)
        // A request to a server is never about app data.
        let hasActive = statuses.contains(.active)
        if !hasActive || !statuses.contains(.deleted) {
            sql.add(hasActive ? "deleted IS NULL" : statuses.contains(.deleted) ? "deleted IS NOT NULL" : "0")
        }
        if let last { sql.add("id > ?", [.text(last)]) }
        return try tx.rows(
            of: appData.tables.module,
            "SELECT number, \(RecordRow.columns) FROM _appdata WHERE 1\(sql.text) ORDER BY id LIMIT ? OFFSET ?",
            sql.arguments + [.integer(maximum.map(Int64.init) ?? -1), .integer(Int64(skipped))]
        ).map { RecordRow($0) }
    }
}

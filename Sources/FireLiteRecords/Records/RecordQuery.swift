import FireLiteCore
import Foundation

/// A query for records of one type: conditions on the resource, on its date, and on annotations, metadata and status. It runs when you ask
/// for a result.
///
/// ```swift
/// let page = try store.records.query(Observation.self).annotated("fitness").dated(from: "2024-01").page(of: 20)
/// ```
public struct RecordQuery<Resource: FHIRResource>: Sendable {
    private let records: Records
    private var resources: FHIRQuery<Resource>
    private var filter = RecordFilter()
    private var statuses: Set<RecordStatus> = [.active, .pending]
    private var hasConditions = false
    private var dated = RecordPeriod()

    init(_ records: Records) {
        self.records = records
        resources = records.store.query(Resource.self)
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var query = self
        change(&query)
        return query
    }

    // MARK: - Conditions

    /// Only records whose resource meets the condition; several calls combine. Deleted records meet no condition.
    public func `where`(_ condition: (ElementPath<Resource>) -> QueryCondition) -> Self {
        with {
            $0.resources = $0.resources.where(condition)
            $0.hasConditions = true
        }
    }

    /// Only records with all of these annotations; several calls combine.
    public func annotated(_ annotations: String...) -> Self { annotated(all: annotations) }

    /// Only records with all of these annotations; several calls combine.
    public func annotated(all annotations: [String]) -> Self { with { $0.filter.all += annotations } }

    /// Only records with at least one of these annotations; the last call counts.
    public func annotated(any annotations: [String]) -> Self { with { $0.filter.any = annotations } }

    /// Only records created in a period, both ends included: `created(from: "2024-01")`, `created(to: QueryDate(moment))`.
    public func created(from: QueryDate? = nil, to: QueryDate? = nil) -> Self {
        with { $0.filter.created = RecordPeriod(from: from, to: to) }
    }

    /// Only records last updated in a period, both ends included.
    public func updated(from: QueryDate? = nil, to: QueryDate? = nil) -> Self {
        with { $0.filter.updated = RecordPeriod(from: from, to: to) }
    }

    /// Only records whose resource is dated in a period, both ends included: `to: "2024"` means the end of 2024.
    ///
    /// The date of a resource is the first of these elements that it has: effective, performed, occurrence, onset, authoredOn, authored,
    /// recordedDate, dateAsserted, issued, date, period, created, birthDate. For a period, the start counts.
    public func dated(from: QueryDate? = nil, to: QueryDate? = nil) -> Self { with { $0.dated = RecordPeriod(from: from, to: to) } }

    /// Only records with one of these statuses. Default: active and pending.
    public func status(_ statuses: Set<RecordStatus>) -> Self { with { $0.statuses = statuses } }

    /// Also deleted records, in summaries and counts.
    public func includingDeleted() -> Self { with { $0.statuses.insert(.deleted) } }

    // MARK: - Order

    /// Sorts by a path of the resource. Equal values keep the order of storage.
    public func sort(_ key: (ElementPath<Resource>) -> SortKey) -> Self { with { $0.resources = $0.resources.sort(key) } }

    /// Limits the number of results.
    ///
    /// - Precondition: not negative.
    public func limit(_ count: Int) -> Self { with { $0.resources = $0.resources.limit(count) } }

    /// Skips the first results. The cost grows with their number.
    ///
    /// - Precondition: not negative.
    public func offset(_ count: Int) -> Self { with { $0.resources = $0.resources.offset(count) } }

    /// Only results after the cursor's.
    public func after(_ cursor: QueryCursor?) -> Self { with { $0.resources = $0.resources.after(cursor) } }

    // MARK: - Results

    /// The records.
    ///
    /// - Throws: ``RecordError``, also if a sealed record cannot be opened: see `opened()`; `FHIRStoreError`.
    public func all() throws -> [Record<Resource>] {
        try read { tx, query, pending in try self.records(of: query.all(), pending, tx) }
    }

    /// The records, and the sealed ones that cannot be opened.
    ///
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError`.
    public func opened() throws -> BatchResult<Record<Resource>> {
        try read { tx, query, pending in
            let resources = try query.all()
            let parts = try records.parts(of: resources, tx)
            return try .collecting(Array(zip(resources, parts)), id: \.0.id) { try records.record($0.0, $0.1, pending: pending, tx) }
        }
    }

    /// The first record; nil if there is none.
    ///
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func first() throws -> Record<Resource>? {
        try read { tx, query, pending in try query.first().map { try records.record($0, pending: pending, tx) } }
    }

    /// The number of results. Deleted records count if the query includes them and has no conditions on resources.
    ///
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError`.
    public func count() throws -> Int {
        try read { tx, query, _ in try (wantsStored ? query.count() : 0) + tombstones(tx).count }
    }

    /// The ids of the records.
    ///
    /// - Throws: ``RecordError/Code/emptyAnnotation``; `FHIRStoreError`.
    public func ids() throws -> [String] { try read { _, query, _ in try query.ids() } }

    /// The records without their content, followed by deleted ones if the query includes them and has no conditions on resources.
    ///
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func summaries() throws -> [RecordSummary] {
        try read { tx, query, pending in
            let stored = try (wantsStored ? query.ids() : []).compactMap { id in
                try records.row(Resource._layout.name, id, tx).map { try records.summary($0, pending: pending, tx) }
            }
            return try stored + tombstones(tx).map { try records.summary($0, pending: [], tx) }
        }
    }

    // MARK: - Pages

    /// A page of records and the cursor after them.
    public struct Page {
        /// The records.
        public let records: [Record<Resource>]
        /// The cursor after the last record: `query.after(page.next)`. Nil if there are no more results.
        public let next: QueryCursor?
    }

    /// The first records, and a cursor to continue from.
    ///
    /// - Precondition: `size` is at least 1.
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func page(of size: Int) throws -> Page {
        try read { tx, query, pending in
            let page = try query.page(of: size)
            return Page(records: try self.records(of: page.resources, pending, tx), next: page.next)
        }
    }

    /// A page by its number. Its cost grows with the number; that of pages by cursor does not.
    ///
    /// - Parameters:
    ///   - number: the number of the page, from 1.
    ///   - size: the number of records of a page.
    /// - Precondition: both are at least 1.
    /// - Throws: ``RecordError``; `FHIRStoreError`.
    public func page(number: Int, size: Int = 10) throws -> [Record<Resource>] {
        misuse(unless: number > 0 && size > 0, "pages are counted from 1, and have a size of 1 or more")
        return try limit(size).offset((number - 1) * size).all()
    }

    // MARK: - Parts

    var store: FHIRStore { records.store }

    private var wantsStored: Bool { statuses.contains(.active) || statuses.contains(.pending) }

    private func records(
        of resources: [Resource], _ pending: Set<RecordKey>, _ tx: ReadTransaction
    ) throws -> [Record<Resource>] {
        let parts = try records.parts(of: resources, tx)
        var found: [Record<Resource>] = []
        found.reserveCapacity(resources.count)
        for (index, parts) in parts.enumerated() { found.append(try records.record(resources[index], parts, pending: pending, tx)) }
        return found
    }

    private func read<Value>(_ body: (ReadTransaction, FHIRQuery<Resource>, Set<RecordKey>) throws -> Value) throws -> Value {
        try records.store.read { tx in
            let pending = try records.keeper.pending(tx)
            return try body(tx, query(tx, pending), pending)
        }
    }

    private func query(_ tx: ReadTransaction, _ pending: Set<RecordKey>) throws -> FHIRQuery<Resource> {
        var query = resources
        let layout = Resource._layout
        if let condition = try records.condition(filter, layout.name) { query = query.where { _ in QueryCondition(condition) } }
        if let condition = try ResourceDate(layout).condition(dated) { query = query.where { _ in QueryCondition(condition) } }
        guard statuses.contains(.active) != statuses.contains(.pending) || !wantsStored else { return query }
        let waiting = try pending.filter { $0.typeName == layout.name }.compactMap { key in
            try tx.registered(key.typeName, id: key.id).map { RowKey.key($0.root) }
        }
        let isWaiting = QueryCondition(.keys(waiting.sorted()))
        if !wantsStored { return query.where { _ in .constant(false) } }
        return query.where { _ in statuses.contains(.pending) ? isWaiting : !isWaiting }
    }

    private func tombstones(_ tx: ReadTransaction) throws -> [RecordRow] {
        guard statuses.contains(.deleted), !hasConditions, dated.isOpen else { return [] }
        return try records.tombstones(filter, Resource._layout.name, tx)
    }
}

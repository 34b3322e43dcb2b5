import FireLiteCore

/// The number of results in a section of a query.
public struct SectionCount<Key: Hashable & Sendable>: Identifiable, Hashable, Sendable {
    /// The key that the results of the section have in common.
    public let id: Key
    /// The number of results.
    public let count: Int
}

// Sections without resources: SQLite reads the columns of their keys, groups the rows by them and counts.

extension FHIRQuery {
    // MARK: - By dates

    /// The sections of all results by years, months or days of a date, with their sizes. SQLite groups the rows; no resource is read.
    ///
    /// ```swift
    /// let months = try store.query(Encounter.self).sort(\.period.start, .reverse).sections(by: .month, of: \.period.start)
    /// ```
    /// Use it for headings with numbers, when only pages of a long list are loaded. A limit and an offset of the query apply.
    ///
    /// - Parameters:
    ///   - unit: the length of a section. A date counts by its own clock, as in ``DateSection``.
    ///   - path: a date or time; through lists, the first in the resource. Results without one are in a section of their own.
    /// - Returns: the sections, each where its first result is in the query's order.
    /// - Throws: `FHIRStoreError`.
    /// - Complexity: O(n log n) in the number of results, of which memory holds the sections. If several sections begin with the same first sort
    ///   value, the keys of all results are read in their order instead.
    public func sections<Path: QueryValuePath>(
        by unit: DateSection.Unit, of path: KeyPath<ElementPath<Resource>, Path>
    ) throws -> [SectionCount<DateSection>] where Path.Value: FHIRTemporal {
        try dateSections(SectionPath(path, unit.stored))
    }

    /// The sections of all results by a date, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func sections<Path: QueryValuePath>(
        by unit: DateSection.Unit, of path: KeyPath<ElementPath<Resource>, Path>
    ) async throws -> [SectionCount<DateSection>] where Path.Value: FHIRTemporal {
        let section = SectionPath(path, unit.stored)
        return try await store.reading { try self.dateSections(section) }
    }

    /// The results of one section, in the query's order. Page through it, count it or follow it like any query.
    ///
    /// ```swift
    /// for month in try query.sections(by: .month, of: \.period.start) {
    ///     let page = try query.section(month.id, by: .month, of: \.period.start).page(of: 20)
    /// }
    /// ```
    /// An index on a to-one date leads to the section's results.
    ///
    /// - Parameters:
    ///   - key: the section, made with the same unit.
    ///   - unit: the length of a section.
    ///   - path: a date or time, as for `sections(by:of:)`.
    public func section<Path: QueryValuePath>(
        _ key: DateSection, by unit: DateSection.Unit, of path: KeyPath<ElementPath<Resource>, Path>
    ) -> Self where Path.Value: FHIRTemporal {
        section(SectionTest(key.key, of: SectionPath(path, unit.stored)))
    }

    /// The pks of all results in their sections, in the query's order: what a diffable data source shows. No resource is read.
    ///
    /// - Parameters:
    ///   - unit: the length of a section.
    ///   - path: a date or time, as for `sections(by:of:)`.
    /// - Throws: `FHIRStoreError`.
    /// - Complexity: O(n) in the number of results, whose pks are all in memory.
    public func snapshot<Path: QueryValuePath>(
        by unit: DateSection.Unit, of path: KeyPath<ElementPath<Resource>, Path>
    ) throws -> SectionedSnapshot<DateSection, String> where Path.Value: FHIRTemporal {
        try dateSnapshot(SectionPath(path, unit.stored))
    }

    /// The pks of all results in their sections, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func snapshot<Path: QueryValuePath>(
        by unit: DateSection.Unit, of path: KeyPath<ElementPath<Resource>, Path>
    ) async throws -> SectionedSnapshot<DateSection, String> where Path.Value: FHIRTemporal {
        let section = SectionPath(path, unit.stored)
        return try await store.reading { try self.dateSnapshot(section) }
    }

    func dateSections(_ section: SectionPath) throws -> [SectionCount<DateSection>] {
        try sections(section).map { SectionCount(id: DateSection($0.key), count: $0.count) }
    }

    private func dateSnapshot(_ section: SectionPath) throws -> SectionedSnapshot<DateSection, String> {
        SectionedSnapshot(try pks(in: section), section: { DateSection($0.section) }, item: { $0.pk })
    }

    // MARK: - By values

    /// The sections of all results by the value of an element, with their sizes. SQLite groups the rows; no resource is read.
    ///
    /// ```swift
    /// let states = try store.query(Encounter.self).sections(by: \.status)
    /// ```
    /// - Parameter path: a primitive element; through lists, its first value in the resource. Results without one are in the section nil.
    /// - Returns: the sections, each where its first result is in the query's order.
    /// - Throws: `FHIRStoreError`.
    /// - Complexity: as for `sections(by:of:)`.
    public func sections<Path: QueryValuePath>(by path: KeyPath<ElementPath<Resource>, Path>) throws -> [SectionCount<Path.Value?>]
    where Path.Value: Hashable & Sendable {
        try valueSections(SectionPath(path))
    }

    /// The sections of all results by the value of an element, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func sections<Path: QueryValuePath>(by path: KeyPath<ElementPath<Resource>, Path>) async throws -> [SectionCount<Path.Value?>]
    where Path.Value: Hashable & Sendable {
        let section = SectionPath(path)
        return try await store.reading { try self.valueSections(section) }
    }

    /// The results of one section, in the query's order. Page through it, count it or follow it like any query.
    ///
    /// - Parameters:
    ///   - key: the value; nil for the results without one.
    ///   - path: a primitive element, as for `sections(by:)`.
    public func section<Path: QueryValuePath>(_ key: Path.Value?, by path: KeyPath<ElementPath<Resource>, Path>) -> Self
    where Path.Value: Hashable & Sendable {
        section(SectionTest(SectionKey(key), of: SectionPath(path)))
    }

    /// The pks of all results in their sections, in the query's order: what a diffable data source shows. No resource is read.
    ///
    /// - Parameter path: a primitive element, as for `sections(by:)`.
    /// - Throws: `FHIRStoreError`.
    /// - Complexity: O(n) in the number of results, whose pks are all in memory.
    public func snapshot<Path: QueryValuePath>(by path: KeyPath<ElementPath<Resource>, Path>) throws -> SectionedSnapshot<
        Path.Value?, String
    >
    where Path.Value: Hashable & Sendable {
        try valueSnapshot(SectionPath(path))
    }

    /// The pks of all results in their sections, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func snapshot<Path: QueryValuePath>(
        by path: KeyPath<ElementPath<Resource>, Path>
    ) async throws -> SectionedSnapshot<Path.Value?, String> where Path.Value: Hashable & Sendable {
        let section = SectionPath(path)
        return try await store.reading { try self.valueSnapshot(section) }
    }

    func valueSections<Value: Hashable & Sendable>(_ section: SectionPath) throws -> [SectionCount<Value?>] {
        var order: [Value?] = []
        var counts: [Value?: Int] = [:]
        // Cells that other programs wrote may not be values of the type; they count as none.
        for size in try sections(section) {
            let value = size.key.value(as: Value.self)
            if counts[value] == nil { order.append(value) }
            counts[value, default: 0] += size.count
        }
        return order.map { SectionCount(id: $0, count: counts[$0] ?? 0) }
    }

    private func valueSnapshot<Value: Hashable & Sendable>(_ section: SectionPath) throws -> SectionedSnapshot<Value?, String> {
        SectionedSnapshot(try pks(in: section), section: { $0.section.value(as: Value.self) }, item: { $0.pk })
    }
}

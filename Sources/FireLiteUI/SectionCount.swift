import FireLiteCore

/// The number of results in a section of a query.
public struct SectionCount<Key: Hashable & Sendable>: Identifiable, Hashable, Sendable {
    /// The key that the results of the section have in common.
    public let id: Key
    /// The number of results.
    public let count: Int
}

extension FHIRQuery {
    /// The sections of all results by years, months or days of a date, with their sizes. The dates are read from their column, and no resource is.
    ///
    /// ```swift
    /// let months = try store.query(Encounter.self).sections(by: .month, of: \.period.start)
    /// ```
    /// For headings with numbers, and to scroll through a list of which only pages are loaded. The dates are taken in their own offsets, as
    /// ``DateSection`` does. A limit of the query counts.
    ///
    /// - Parameters:
    ///   - unit: the length of a section.
    ///   - path: a date or time. Results without one are in a section of their own.
    /// - Returns: the sections in the order in which the query's results come to them.
    /// - Throws: `FHIRStoreError`.
    /// - Complexity: O(n) in the number of results; memory holds their dates.
    public func sections<Path: QueryValuePath>(
        by unit: DateSection.Unit, of path: KeyPath<ElementPath<Resource>, Path>
    ) throws -> [SectionCount<DateSection>] where Path.Value: FHIRTemporal {
        SectionCount.sections(try values { $0[keyPath: path] }) { DateSection(unit, of: $0) }
    }

    /// The sections of all results by the value of an element, with their sizes. The values are read from their column, and no resource is.
    ///
    /// - Parameter path: an element. Results without one are in the section nil.
    /// - Returns: the sections in the order in which the query's results come to them.
    /// - Throws: `FHIRStoreError`.
    /// - Complexity: O(n) in the number of results; memory holds their values.
    public func sections<Path: QueryValuePath>(by path: KeyPath<ElementPath<Resource>, Path>) throws -> [SectionCount<Path.Value?>]
    where Path.Value: Hashable & Sendable {
        SectionCount.sections(try values { $0[keyPath: path] }) { $0 }
    }
}

extension SectionCount {
    static func sections<Value>(_ values: [Value], key: (Value) -> Key) -> [SectionCount] {
        var order: [Key] = []
        var counts: [Key: Int] = [:]
        for value in values {
            let key = key(value)
            if counts[key] == nil { order.append(key) }
            counts[key, default: 0] += 1
        }
        return order.map { SectionCount(id: $0, count: counts[$0] ?? 0) }
    }
}

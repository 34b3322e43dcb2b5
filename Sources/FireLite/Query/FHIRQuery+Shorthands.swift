import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension FHIRQuery {
    // MARK: - Order

    /// Sorts by the element at a key path, and equal values by the order in which the resources were stored. Absent values come last.
    ///
    /// ```swift
    /// let oldest = try store.query(Patient.self).sort(\.birthDate).limit(10).all()
    /// let newest = try store.query(Observation.self).sort(\.effectiveDateTime, .reverse).first()
    /// ```
    /// - Parameters:
    ///   - path: a primitive; through lists, its least value in forward and its greatest in reverse order counts.
    ///   - order: Default: forward.
    public func sort<Path: QueryValuePath>(_ path: KeyPath<ElementPath<Resource>, Path>, _ order: SortOrder = .forward) -> Self {
        sort { order == .forward ? $0[keyPath: path].ascending : $0[keyPath: path].descending }
    }

    // MARK: - Conditions

    /// Only resources whose truth value is true: `where { $0.active }`. An absent value is not.
    @_disfavoredOverload
    public func `where`(_ condition: (ElementPath<Resource>) -> ValuePath<Bool>) -> Self { self.where { condition($0).isTrue } }

    /// The first resource that meets a condition, in the query's order; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`.
    public func first(where condition: (ElementPath<Resource>) -> QueryCondition) throws -> Resource? { try self.where(condition).first() }

    /// The first resource that meets a condition, without blocking the caller.
    ///
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    public func first(where condition: (ElementPath<Resource>) -> QueryCondition) async throws -> sending Resource? {
        try await self.where(condition).first()
    }
}

extension ValuePath where Value == Bool {
    /// Whether the value is true; an absent one is not.
    var isTrue: QueryCondition { self == true }

    /// Whether the value is not true: it is false or absent.
    public static prefix func ! (path: ValuePath<Bool>) -> QueryCondition { !path.isTrue }

    /// Whether the condition is met and the value is true.
    @_disfavoredOverload
    public static func && (condition: QueryCondition, path: ValuePath<Bool>) -> QueryCondition { condition && path.isTrue }
    /// Whether the value is true and the condition is met.
    @_disfavoredOverload
    public static func && (path: ValuePath<Bool>, condition: QueryCondition) -> QueryCondition { path.isTrue && condition }
    /// Whether both values are true.
    @_disfavoredOverload
    public static func && (first: ValuePath<Bool>, second: ValuePath<Bool>) -> QueryCondition { first.isTrue && second.isTrue }

    /// Whether the condition is met or the value is true.
    @_disfavoredOverload
    public static func || (condition: QueryCondition, path: ValuePath<Bool>) -> QueryCondition { condition || path.isTrue }
    /// Whether the value is true or the condition is met.
    @_disfavoredOverload
    public static func || (path: ValuePath<Bool>, condition: QueryCondition) -> QueryCondition { path.isTrue || condition }
    /// Whether one of the values is true.
    @_disfavoredOverload
    public static func || (first: ValuePath<Bool>, second: ValuePath<Bool>) -> QueryCondition { first.isTrue || second.isTrue }
}

// MARK: - Deleting

extension WriteTransaction {
    /// Deletes all resources of a type with all their rows, without reading them.
    ///
    /// - Returns: the number of deleted resources.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func deleteAll<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int { try delete(query(type)) }
}

extension FHIRStore {
    /// Deletes all resources of a type in one write.
    ///
    /// - Returns: the number of deleted resources.
    /// - Precondition: not inside a transaction; there, use the transaction's `deleteAll(_:)`.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    public func deleteAll<Resource: FHIRResource>(_ type: Resource.Type) throws -> Int { try query(type).delete() }

    /// Deletes all resources of a type in one write, without blocking the caller.
    ///
    /// - Returns: the number of deleted resources.
    /// - Throws: `FHIRStoreError`; `CancellationError` if the task was cancelled.
    @discardableResult
    public func deleteAll<Resource: FHIRResource>(_ type: Resource.Type) async throws -> Int { try await query(type).delete() }
}

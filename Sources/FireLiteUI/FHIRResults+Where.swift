#if canImport(SwiftUI)
    import FireLiteCore
    import Foundation
    import SwiftUI

    // Thin over `FHIRResults.init(_:_:pageSize:animation:)`.

    extension FHIRResults {
        /// Follows the resources that meet a condition, sorted by a path.
        ///
        /// ```swift
        /// @FHIRResults(Patient.self, where: { $0.gender == .female }, sort: { $0.birthDate.descending }) private var patients
        /// ```
        /// - Parameters:
        ///   - type: the resource type.
        ///   - condition: the condition.
        ///   - key: the path to sort by, with a direction. Default: the order of storage.
        ///   - limit: the maximum number of results. Default: all.
        ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
        ///   - animation: how changes of the results are animated. Default: not at all.
        public init(
            _ type: Resource.Type, where condition: @escaping (ElementPath<Resource>) -> QueryCondition,
            sort key: ((ElementPath<Resource>) -> SortKey)? = nil, limit: Int? = nil, pageSize: Int? = nil, animation: Animation? = nil
        ) {
            self.init(
                type,
                { query in
                    let found = query.where(condition)
                    let sorted = key.map(found.sort) ?? found
                    return limit.map(sorted.limit) ?? sorted
                }, pageSize: pageSize, animation: animation)
        }

        /// Follows the resources that meet a condition, sorted by a key path.
        ///
        /// ```swift
        /// @FHIRResults(Patient.self, sort: \.birthDate, order: .reverse) private var patients
        /// ```
        /// - Parameters:
        ///   - type: the resource type.
        ///   - condition: the condition. Default: none.
        ///   - path: the path to sort by. Absent values come last.
        ///   - order: Default: forward.
        ///   - limit: the maximum number of results. Default: all.
        ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
        ///   - animation: how changes of the results are animated. Default: not at all.
        public init<Path: QueryValuePath>(
            _ type: Resource.Type, where condition: ((ElementPath<Resource>) -> QueryCondition)? = nil,
            sort path: KeyPath<ElementPath<Resource>, Path>, order: SortOrder = .forward, limit: Int? = nil, pageSize: Int? = nil,
            animation: Animation? = nil
        ) {
            self.init(
                type,
                { query in
                    let sorted = (condition.map(query.where) ?? query).sort(path, order)
                    return limit.map(sorted.limit) ?? sorted
                }, pageSize: pageSize, animation: animation)
        }

        /// Follows the resources whose truth value is true, sorted by a path: `where: { $0.active }`. An absent value is not.
        ///
        /// - Parameters:
        ///   - type: the resource type.
        ///   - condition: the path of the truth value.
        ///   - key: the path to sort by, with a direction. Default: the order of storage.
        ///   - limit: the maximum number of results. Default: all.
        ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
        ///   - animation: how changes of the results are animated. Default: not at all.
        @_disfavoredOverload
        public init(
            _ type: Resource.Type, where condition: @escaping (ElementPath<Resource>) -> ValuePath<Bool>,
            sort key: ((ElementPath<Resource>) -> SortKey)? = nil, limit: Int? = nil, pageSize: Int? = nil, animation: Animation? = nil
        ) {
            self.init(type, where: { condition($0) == true }, sort: key, limit: limit, pageSize: pageSize, animation: animation)
        }

        /// Follows the resources whose truth value is true, sorted by a key path: `where: { $0.active }, sort: \.birthDate`. An absent value is not.
        ///
        /// - Parameters:
        ///   - type: the resource type.
        ///   - condition: the path of the truth value.
        ///   - path: the path to sort by. Absent values come last.
        ///   - order: Default: forward.
        ///   - limit: the maximum number of results. Default: all.
        ///   - pageSize: the number of results to load at first, and with each `loadMore()`. Default: all.
        ///   - animation: how changes of the results are animated. Default: not at all.
        @_disfavoredOverload
        public init<Path: QueryValuePath>(
            _ type: Resource.Type, where condition: @escaping (ElementPath<Resource>) -> ValuePath<Bool>,
            sort path: KeyPath<ElementPath<Resource>, Path>, order: SortOrder = .forward, limit: Int? = nil, pageSize: Int? = nil,
            animation: Animation? = nil
        ) {
            self.init(
                type, where: { condition($0) == true }, sort: path, order: order, limit: limit, pageSize: pageSize, animation: animation)
        }
    }
#endif

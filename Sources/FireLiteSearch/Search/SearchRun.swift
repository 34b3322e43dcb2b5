import FireLite
import FireLiteCore
import Foundation

/// One run of a search on a snapshot.
struct SearchRun {
    let transaction: ReadTransaction
    /// The search, without the names that are ignored.
    var request: SearchRequest
    let options: SearchOptions
    var control: SearchControl
    let catalog: ParameterCatalog
    var builder: ConditionBuilder
    /// The types, elements and includes of the search that are ignored.
    var ignored: [SearchError] = []

    var store: FHIRStore { transaction.store }
    var release: FHIRRelease { store.release }

    init(_ transaction: ReadTransaction, _ request: SearchRequest, _ options: SearchOptions) throws {
        self.transaction = transaction
        self.request = request
        self.options = options
        control = try SearchControl(request)
        catalog = ParameterCatalog(transaction.store)
        builder = ConditionBuilder(transaction, catalog: catalog, options: options, parameters: control.conditions)
        builder.grouping = control.contained == .none ? .ofStored : .ofContained
        try leaveOutUnknownNames()
    }

    /// The request for one type.
    struct TypeRequest {
        /// The type of the stored resources that are results, or contain them.
        let layout: Layout
        var query: QueryRequest
    }

    // MARK: - Types

    private func layout(_ name: String) throws -> Layout {
        guard let layout = release.resourceLayout(named: name) else { throw unknownType(name) }
        return layout
    }

    /// The types of the results, in the order of their names.
    func layouts() throws -> [Layout] {
        if let type = request.type { return [try layout(type)] }
        var names = try transaction.populatedTypeNames()
        if let compartment = request.compartment {
            _ = try layout(compartment.type)
            let members = Compartments(release: release.name).members(of: compartment.type)
            names = names.filter { members.contains($0) || $0 == compartment.type }
        }
        let wanted = Set(control.types)
        return try names.filter { wanted.isEmpty || wanted.contains($0) }.map { try layout($0) }
    }

    // MARK: - Conditions

    /// The requests for each type, without limits and cursors, and what was ignored.
    func requests() throws -> (requests: [TypeRequest], issues: [SearchError]) {
        let layouts = try layouts()
        var issues = ignored
        var predicates: [[Predicate]] = Array(repeating: [], count: layouts.count)
        if let compartment = request.compartment {
            let compartments = Compartments(release: release.name)
            guard compartments.types.contains(compartment.type) else {
                throw SearchError(.notSupported, "FHIR \(release.name) has no compartment of \(compartment.type)")
            }
            for (index, layout) in layouts.enumerated() {
                predicates[index].append(try builder.inCompartment(compartment, compartments, on: layout))
            }
        }
        if control.contained != .none { return try containing(&issues) }
        for parameter in control.conditions {
            builder.codes?.parameter = parameter.name
            if request.isEverything, let conditions = try everything(parameter, layouts) {
                for index in layouts.indices { predicates[index] += conditions[index] }
                continue
            }
            var isKnown = false
            var conditions: [Predicate?] = []
            for layout in layouts {
                let condition = try builder.condition(parameter.name, parameter.value, on: layout)
                if condition != nil { isKnown = true }
                conditions.append(condition)
            }
            if isKnown {
                // Resources of types without the parameter do not meet it.
                for index in layouts.indices { predicates[index].append(conditions[index] ?? .constant(false)) }
            } else if !layouts.isEmpty {
                let type = request.type ?? "none of the types"
                let hint = catalog.hint(for: parameter.name, on: layouts, others: SearchControl.names)
                let error = SearchError(
                    .unknownParameter,
                    request.type == nil ? "none of the types has this parameter\(hint)" : "\(type) has no such parameter\(hint)",
                    in: parameter.name)
                guard options.handling == .lenient else { throw error }
                issues.append(error)
            }
        }
        let sorts = try layouts.map { layout in try sortKeys(on: layout, &issues) }
        return (
            try layouts.enumerated().map { index, layout in
                var query = QueryRequest(layout)
                if !predicates[index].isEmpty { query.add(try builder.all(predicates[index], on: layout)) }
                query.sort = sorts[index]
                return TypeRequest(layout: layout, query: query)
            }, issues
        )
    }

    /// Whether results are of several types.
    private var isMixed: Bool { request.type == nil || control.contained != .none }

    /// The conditions of a parameter of `$everything` for each type; nil if it is one of a search.
    private func everything(_ parameter: SearchRequest.Parameter, _ layouts: [Layout]) throws -> [[Predicate]]? {
        switch parameter.name {
        case "_since":
            return try layouts.map { try builder.condition("_lastUpdated", "ge" + parameter.value, on: $0).map { [$0] } ?? [] }
        case "start", "end":
            // Dates of care: resources without one are always a part.
            let value = (parameter.name == "start" ? "ge" : "le") + parameter.value
            return try layouts.map { layout in
                guard try catalog.parameter("date", on: layout)?.kind == .date,
                    let isMet = try builder.condition("date", value, on: layout),
                    let isMissing = try builder.condition("date:missing", "true", on: layout)
                else { return [] }
                return [.or([isMissing, isMet])]
            }
        default: return nil
        }
    }

    // MARK: - Contained resources

    /// The requests of `_contained=true` and `both`: for resources that contain one that meets the conditions, or for what they contain.
    private func containing(_ issues: inout [SearchError]) throws -> (requests: [TypeRequest], issues: [SearchError]) {
        guard let type = request.type, request.compartment == nil else {
            throw SearchError(.invalid, "a search of contained resources names one type", in: "_contained")
        }
        let target = try layout(type)
        var conditions: [Predicate] = []
        for parameter in control.conditions {
            builder.codes?.parameter = parameter.name
            guard let condition = try builder.condition(parameter.name, parameter.value, on: target) else {
                let hint = catalog.hint(for: parameter.name, on: [target], others: SearchControl.names)
                let error = SearchError(.unknownParameter, "\(type) has no such parameter\(hint)", in: parameter.name)
                guard options.handling == .lenient else { throw error }
                issues.append(error)
                continue
            }
            guard !condition.needsRegistration else {
                throw SearchError(.notSupported, "this parameter finds no contained resources", in: parameter.name)
            }
            conditions.append(condition)
        }
        conditions = [try builder.all(conditions, on: target)]
        var requests: [TypeRequest] = []
        for name in try transaction.populatedTypeNames() {
            let container = try layout(name)
            if control.returnsContained {
                requests += try contained(target, in: container, conditions, &issues)
                continue
            }
            var alternatives: [Predicate] = []
            if control.contained == .both, name == type { alternatives.append(.and(conditions)) }
            if transaction.hasTable(of: target), let path = SearchPath(container).child("contained")?.containing(target) {
                alternatives.append(path.single { .any($0, .and(conditions)) })
            }
            guard !alternatives.isEmpty else { continue }
            var query = QueryRequest(container)
            query.add(.or(alternatives))
            query.sort = try sortKeys(on: container, &issues)
            requests.append(TypeRequest(layout: container, query: query))
        }
        return (requests, issues)
    }

    /// The requests for resources of a type that those of another contain, and for those that are stored on their own.
    private func contained(
        _ target: Layout, in container: Layout, _ conditions: [Predicate], _ issues: inout [SearchError]
    ) throws -> [TypeRequest] {
        var query = QueryRequest(target)
        query.add(.and(conditions))
        query.sort = try sortKeys(on: target, &issues)
        var requests: [TypeRequest] = []
        if control.contained == .both, container === target { requests.append(TypeRequest(layout: target, query: query)) }
        query.container = QueryRequest.Container(container)
        requests.append(TypeRequest(layout: container, query: query))
        return requests
    }

    private func sortKeys(on layout: Layout, _ issues: inout [SearchError]) throws -> [SortKey] {
        try control.sort.compactMap { key -> SortKey? in
            let isDescending = key.hasPrefix("-")
            let code = isDescending ? String(key.dropFirst()) : key
            if code == "_score" { return nil }
            guard let definition = try catalog.parameter(code, on: layout) else {
                let hint = catalog.hint(for: code, on: layout)
                let error = SearchError(.unknownParameter, "\(layout.name) has no parameter to sort by\(hint)", in: code)
                guard options.handling == .lenient else { throw error }
                if !issues.contains(error) { issues.append(error) }
                // A key without values, so that the places of all types have as many.
                return isMixed ? SortKey(paths: [], isDescending: isDescending, nulls: .last) : nil
            }
            let paths = try catalog.sortPaths(definition, on: layout)
            return SortKey(paths: paths, isDescending: isDescending, nulls: .last)
        }
    }

    // MARK: - Running

    /// The places of the matches of a page, before they are read.
    struct Page {
        let requests: [TypeRequest]
        let issues: [SearchError]
        /// The keys of the matches, in their order.
        let keys: [Int64]
        let hasMore: Bool
        /// The place of the next page; nil after the last one.
        let next: SearchCursor?
    }

    func run() throws -> SearchResult {
        if request.isEverything, let compartment = request.compartment {
            guard try transaction.resource(typeName: try layout(compartment.type).name, id: compartment.id) != nil else {
                throw SearchError(.notFound, "the store has no such \(compartment.type)")
            }
        }
        let (requests, issues) = try requests()
        if control.summary == .count {
            return SearchResult(
                request: request, release: release, matches: [], included: [], total: try total(requests), next: nil, issues: issues,
                subset: nil, base: base)
        }
        let page = try page(requests, issues)
        let (matches, containers) = try transaction.resources(rows: page.keys)
        let total = try total(page, matches: matches.count)
        var included = try IncludeRun(run: self).resources(for: matches)
        if let compartment = request.compartment, request.isEverything {
            included += try EverythingRun(run: self, compartment: compartment).resources(for: matches + included)
        }
        return SearchResult(
            request: request, release: release, matches: matches, included: included, total: total, next: page.next, issues: issues,
            subset: SearchSubset(control, catalog), base: base, containers: containers)
    }

    func page(_ requests: [TypeRequest], _ issues: [SearchError]) throws -> Page {
        let pages = SearchPages(transaction: transaction, requests: requests)
        let size = control.count ?? options.pageSize
        let cursor = try control.cursor.map { SearchCursor(type: $0.type, place: try transaction.opened($0.place)) }
        let (places, hasMore) = try pages.page(of: size, after: cursor)
        let next = try (hasMore ? places.last : nil).map { SearchCursor(type: $0.type, place: try transaction.sealed($0.place)) }
        return Page(requests: requests, issues: issues, keys: places.map(\.place.key), hasMore: hasMore, next: next)
    }

    /// The number of matches on all pages; nil if they are not to be counted.
    ///
    /// - Parameter matches: their number on the page.
    func total(_ page: Page, matches: Int) throws -> Int? {
        guard control.countsTotal ?? options.countsTotal else { return nil }
        return !page.hasMore && control.cursor == nil ? matches : try total(page.requests)
    }

    /// The base address without a slash at its end.
    var base: String? {
        guard var base = options.base, !base.isEmpty else { return nil }
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    private func total(_ requests: [TypeRequest]) throws -> Int {
        try requests.reduce(0) { try $0 + store.count($1.query) }
    }
}

import FireLite
import FireLiteFHIRPath

/// A way from a resource, or from an element of it, to elements of one type.
struct SearchPath: Sendable {
    /// The type at the end of a path.
    enum End: Sendable {
        case object(Layout)
        case primitive(PrimitiveType)
        /// An element that contains a resource.
        case resource
    }

    /// A condition on an element on the way.
    struct Filter: Sendable {
        /// From the start, or from the element of the filter before.
        let path: QueryPath
        let condition: Predicate
    }

    /// The filters on the way, outermost first.
    private(set) var filters: [Filter] = []
    /// The steps from the start, or from the last filter's element.
    private(set) var steps: [PathStep] = []
    /// The number of these steps up to the last list, with it.
    private(set) var listEnd = 0
    private(set) var end: End
    /// The resource type that a reference must point to, of `where(resolve() is Patient)`.
    var targetType: String?
    /// The types that the definition allows a reference to point to; empty for any.
    private(set) var allowedTargets: [String] = []
    /// Whether what counts is only that there is such an element: `deceased is dateTime`.
    var isPresence = false

    init(_ layout: Layout) { end = .object(layout) }

    init(primitive: PrimitiveType) { end = .primitive(primitive) }

    /// Whether nothing was stepped over yet.
    var isStart: Bool { filters.isEmpty && steps.isEmpty }

    // MARK: - Steps

    func appending(_ element: LayoutElement, type: String? = nil) -> SearchPath {
        var path = self
        var step = PathStep(slot: element.slot)
        switch element.kind {
        case .primitive: path.end = .primitive(element.primitive ?? .string)
        case .object: if let layout = element.layout { path.end = .object(layout) }
        case .resource: path.end = .resource
        }
        if let type { step.kind = .resource(type) }
        path.steps.append(step)
        if element.isList || element.kind == .resource { path.listEnd = path.steps.count }
        path.allowedTargets = element.targets
        return path
    }

    /// The same with the elements of one name: of one type, or of each type of a choice. Empty if there is none.
    func elements(named name: String) -> [SearchPath] {
        guard case .object(let layout) = end, let slots = layout.slots(ofMember: name, allowsChoiceNames: true) else { return [] }
        return slots.map { appending(layout.elements[$0]) }
    }

    /// The resources of a type at the end, which must be an element that contains resources.
    func containing(_ layout: Layout) -> SearchPath? {
        guard case .resource = end, var last = steps.last else { return nil }
        var path = self
        last.kind = .resource(layout.name)
        path.steps[steps.count - 1] = last
        path.end = .object(layout)
        return path
    }

    /// Only the element at a position of the list at the end.
    func at(_ position: Int) -> SearchPath {
        guard listEnd == steps.count, var last = steps.last else { return self }
        var path = self
        last.position = position
        path.steps[steps.count - 1] = last
        return path
    }

    /// Only elements that meet a condition.
    func filtered(_ condition: Predicate) -> SearchPath {
        var path = self
        path.filters.append(Filter(path: QueryPath(steps), condition: condition))
        path.steps = []
        path.listEnd = 0
        return path
    }

    /// A path that begins with this one and continues with another, which starts at its end.
    func joined(_ other: SearchPath) -> SearchPath {
        var path = other
        if let first = other.filters.first {
            path.filters[0] = Filter(path: QueryPath(steps + first.path.steps), condition: first.condition)
        } else {
            path.steps = steps + other.steps
            path.listEnd = other.listEnd > 0 ? steps.count + other.listEnd : listEnd
        }
        path.filters = filters + path.filters
        return path
    }

    // MARK: - Conditions

    /// The condition that some element at the path meets another, which is asked for with the path to that element.
    ///
    /// - Parameter body: may test several elements below the path; all tests are of the same element.
    func some(_ body: (QueryPath) -> Predicate) -> Predicate {
        var inner: Predicate
        if listEnd > 0 {
            let rest = QueryPath(Array(steps[listEnd...]))
            inner = .any(QueryPath(Array(steps[..<listEnd])), body(rest))
        } else {
            inner = body(QueryPath(steps))
        }
        for filter in filters.reversed() {
            inner = filter.path.steps.isEmpty ? .and([filter.condition, inner]) : .any(filter.path, .and([filter.condition, inner]))
        }
        return inner
    }

    /// The condition that one value at the path passes a test.
    func value(_ test: ValueTest) -> Predicate { single { .value($0, test) } }

    /// The condition that there is something at the path.
    var exists: Predicate { single { .exists($0) } }

    /// As `some`, for a body that uses the path once.
    func single(_ body: (QueryPath) -> Predicate) -> Predicate {
        var inner = body(QueryPath(steps))
        for filter in filters.reversed() {
            inner = filter.path.steps.isEmpty ? .and([filter.condition, inner]) : .any(filter.path, .and([filter.condition, inner]))
        }
        return inner
    }

    /// The element of a datatype below the end; nil if the type has none of that name.
    func child(_ name: String) -> SearchPath? {
        guard case .object(let layout) = end, let element = layout.element(named: name) else { return nil }
        return appending(element)
    }

    /// FHIR's name of the type at the end.
    var typeName: String {
        switch end {
        case .object(let layout): layout.name
        case .primitive(let type): type.name
        case .resource: "Resource"
        }
    }
}

extension QueryPath {
    /// The path to an element of a datatype at its end.
    func element(_ name: String, of layout: Layout) -> QueryPath? { layout.element(named: name).map { appending(PathStep(slot: $0.slot)) } }
}

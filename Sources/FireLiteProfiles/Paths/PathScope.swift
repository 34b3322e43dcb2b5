import FireLite
import FireLiteCore

/// The way from a resource to elements that slices narrow: filters on the way, and a path after the last of them.
struct PathScope: Sendable {
    /// The elements at a path, and the condition that those of a slice meet.
    struct Filter: Sendable {
        let path: QueryPath
        let predicate: Predicate
    }

    /// Where the way starts.
    let root: Layout
    /// The profile of the view that it starts at.
    let profile: String
    private var filters: [Filter] = []
    private(set) var path: QueryPath
    /// The way in FHIRPath.
    private(set) var fhirPath = ""
    /// The way in the part of FHIRPath that search parameters use.
    private(set) var searchExpression = ""
    /// FHIR's name of the type at the end.
    private(set) var typeName: String

    init(path: QueryPath, root: Layout, profile: String) {
        (self.path, self.root, self.profile) = (path, root, profile)
        typeName = root.name
    }

    /// The condition that some value at the end of the way meets a predicate.
    func condition(_ predicate: Predicate) -> QueryCondition {
        QueryCondition(filters.reversed().reduce(predicate) { inner, filter in .any(filter.path, .and([filter.predicate, inner])) })
    }

    /// The condition that there is a value at the end of the way.
    var exists: QueryCondition { condition(path.steps.isEmpty ? .constant(true) : .exists(path)) }

    /// The way to an element.
    func step(_ path: QueryPath, _ element: LayoutElement) -> PathScope {
        var scope = self
        scope.path = QueryPath(self.path.steps + path.steps)
        scope.append(element)
        return scope
    }

    /// The way to the element of a type with a name.
    ///
    /// - Precondition: the type has the element.
    func step(_ name: String, of layout: Layout) -> PathScope {
        guard let element = layout.element(named: name) else {
            misuse("\(layout.name) has no element \(name): generate the module again with `swift package generate-fhir-models`")
        }
        return step(QueryPath([PathStep(slot: element.slot)]), element)
    }

    /// The way to the resources of a type in an element that contains resources.
    func resource(_ name: String, of layout: Layout, type: String) -> PathScope {
        guard let element = layout.element(named: name) else {
            misuse("\(layout.name) has no element \(name): generate the module again with `swift package generate-fhir-models`")
        }
        var scope = self
        scope.path = QueryPath(path.steps + [PathStep(slot: element.slot, kind: .resource(type))])
        scope.append(element)
        scope.fhirPath += ".ofType(\(type))"
        scope.searchExpression += ".ofType(\(type))"
        scope.typeName = type
        return scope
    }

    /// The way to the items of a slice.
    func slice(_ rule: RuleElement, of layout: Layout) -> PathScope {
        guard let element = layout.element(named: rule.name), let items = element.layout else {
            misuse("\(layout.name) has no list \(rule.name): generate the module again with `swift package generate-fhir-models`")
        }
        var scope = self
        let path = QueryPath(self.path.steps + [PathStep(slot: element.slot)])
        scope.filters.append(Filter(path: path, predicate: SlicePredicate(layout: items).predicate(rule.tests)))
        scope.path = QueryPath()
        scope.append(element)
        scope.fhirPath += ".where(\(SliceExpression(layout: items, isSearch: false).text(rule.tests)))"
        scope.searchExpression += ".where(\(SliceExpression(layout: items, isSearch: true).text(rule.tests)))"
        return scope
    }

    private mutating func append(_ element: LayoutElement) {
        var name = element.name
        if let choice = element.choice { name = "\(choice.name.dropLast(3)).ofType(\(element.typeName))" }
        fhirPath += fhirPath.isEmpty ? name : ".\(name)"
        searchExpression += searchExpression.isEmpty ? name : ".\(name)"
        typeName = element.typeName
    }
}

import FireLite
import FireLiteCore

extension ConditionBuilder {
    // MARK: - Chains

    /// `subject:Patient.name=…`: the resources that refer to one that meets a condition.
    func chain(
        _ definition: SearchDefinition, _ type: String?, on layout: Layout, _ name: String,
        condition: (ConditionBuilder, Layout) throws -> Predicate?
    ) throws -> Predicate {
        guard definition.kind == .reference else {
            throw SearchError(.invalid, "\(definition.code) is not a reference, which a chain needs", in: name)
        }
        let compiled = try catalog.compiled(definition, on: layout)
        var conditions: [Predicate] = []
        var isKnown = false
        for path in compiled.paths {
            var builder = self
            if case .resource = path.end, grouping != .none { builder.grouping = .ofContained }
            for target in targets(of: path, definition, type) {
                guard let inner = try condition(builder, target) else { continue }
                isKnown = true
                if let found = try follow(path, target, inner) { conditions.append(found) }
            }
        }
        if !isKnown {
            // Of types without resources there are no results, but a parameter that none of them has is a mistake.
            let names = Set(compiled.paths.flatMap { targetNames(of: $0, definition.targets, type) })
            isKnown = try names.contains { try release.resourceLayout(named: $0).flatMap { try condition(self, $0) } != nil }
        }
        guard isKnown else {
            let names = compiled.paths.flatMap { targetNames(of: $0, definition.targets, type) }
            let targets = names.compactMap { release.resourceLayout(named: $0) }
            let hint = catalog.hint(for: SearchParameterName(name).chain ?? "", on: targets)
            throw SearchError(.unknownParameter, "none of the types that \(definition.code) refers to has the parameter\(hint)", in: name)
        }
        return .or(conditions)
    }

    /// The condition that a reference leads to a resource of a type that meets a condition.
    private func follow(_ path: SearchPath, _ target: Layout, _ inner: Predicate) throws -> Predicate? {
        switch path.end {
        case .resource: return path.containing(target)?.single { .any($0, inner) }
        case .object(let layout):
            // CodeableReference has the reference in an element.
            let path = layout.name == "Reference" ? path : path.child("reference")
            guard let path, path.typeName == "Reference" else { return nil }
            return path.single { .target($0, target, inner) }
        case .primitive(let type):
            guard type == .canonical || type == .uri, let url = target.element(named: "url") else { return nil }
            var request = QueryRequest(target)
            request.predicate = inner
            let found = try transaction.resources(keys: transaction.places(request).map(\.key))
            let urls = found.compactMap { $0._string(url.slot) }
            return urls.isEmpty
                ? .constant(false)
                : .or([path.value(.oneOf(urls.map { .text($0) }))] + urls.map { path.value(.text(.hasPrefix, $0 + "|", [])) })
        }
    }

    /// The types that a reference may lead to, of which the store has resources.
    func targets(of path: SearchPath, _ definition: SearchDefinition, _ type: String?) -> [Layout] {
        targetNames(of: path, definition.targets, type).compactMap { release.resourceLayout(named: $0) }
            .filter { transaction.hasTable(of: $0) }
    }

    /// The names of the types that a reference may lead to.
    func targetNames(of path: SearchPath, _ stated: [String], _ type: String?) -> [String] {
        if let type { return path.targetType.map { $0 == type } ?? true ? [type] : [] }
        if let only = path.targetType { return [only] }
        let allowed = path.allowedTargets.isEmpty ? stated : path.allowedTargets.filter { stated.isEmpty || stated.contains($0) }
        return allowed.isEmpty || allowed.contains("Resource") ? release.resourceTypeNames : allowed
    }

    // MARK: - Reverse chains

    /// `_has:Observation:patient:code=…`: the resources that one which meets a condition refers to.
    func reverse(_ name: String, _ value: String, on layout: Layout, _ depth: Int) throws -> Predicate {
        let parts = name.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { throw SearchError(.invalid, "write _has:Type:reference:parameter", in: name) }
        guard let source = release.resourceLayout(named: parts[1]) else {
            let hint = NearWords.hint(for: parts[1], among: release.resourceTypeNames)
            throw SearchError(.unknownType, "'\(parts[1])' is not a resource type of FHIR \(release.name)\(hint)", in: name)
        }
        guard let definition = try catalog.parameter(parts[2], on: source), definition.kind == .reference else {
            let hint = catalog.hint(for: parts[2], on: [source], kind: .reference)
            throw SearchError(.unknownParameter, "\(source.name) has no reference parameter '\(parts[2])'\(hint)", in: name)
        }
        guard let inner = try condition(parts[3], value, on: source, depth: depth + 1) else {
            let hint = catalog.hint(for: parts[3], on: source)
            throw SearchError(.unknownParameter, "\(source.name) has no parameter '\(parts[3])'\(hint)", in: name)
        }
        return try referred(by: source, definition, inner, on: layout)
    }

    /// The condition that a resource which meets a condition refers to this one with a parameter's references.
    func referred(by source: Layout, _ definition: SearchDefinition, _ inner: Predicate, on layout: Layout) throws -> Predicate {
        let compiled = try catalog.compiled(definition, on: source)
        return .or(
            compiled.paths.compactMap { path in
                guard path.targetType == nil || path.targetType == layout.name, case .object(let end) = path.end else { return nil }
                let reference = end.name == "Reference" ? path : path.child("reference")
                guard let reference, reference.typeName == "Reference" else { return nil }
                // Conditions on the way to the reference are tested on the resource that refers.
                let steps = reference.filters.flatMap(\.path.steps) + reference.steps
                let condition = reference.filters.isEmpty ? inner : .and([inner, reference.exists])
                return .referredBy(source, QueryPath(steps), condition)
            })
    }

    /// `_list=1`: the resources in a List.
    func list(_ value: String, on layout: Layout, _ depth: Int) throws -> Predicate {
        guard let list = release.resourceLayout(named: "List"), let entry = list.element(named: "entry"),
            let item = entry.layout?.element(named: "item"), let id = list.element(named: "id")
        else { throw SearchError(.notSupported, "the release has no type List", in: "_list") }
        let ids = SearchText.alternatives(value).map { SQLValue.text(SearchText.plain($0)) }
        let path = QueryPath([PathStep(slot: entry.slot), PathStep(slot: item.slot)])
        return .referredBy(list, path, .value(QueryPath([PathStep(slot: id.slot)]), .oneOf(ids)))
    }

    // MARK: - Compartments

    /// The condition that a resource is in a compartment.
    func inCompartment(_ compartment: SearchRequest.Compartment, _ compartments: Compartments, on layout: Layout) throws -> Predicate {
        let own: Predicate? =
            layout.name == compartment.type
            ? layout.element(named: "id").map { .value(QueryPath([PathStep(slot: $0.slot)]), .compare(.equal, .text(compartment.id))) }
            : nil
        let reference = SearchRequest.escaped("\(compartment.type)/\(compartment.id)")
        // The reference is not one of the request.
        var builder = self
        builder.codes = nil
        let conditions = try compartments.parameters(of: layout.name, in: compartment.type).compactMap { code -> Predicate? in
            // Where a release's compartment names a parameter that it lacks, the others decide.
            let name = code.split(separator: ".").first.map(String.init) ?? code
            return try builder.condition(name, reference, on: layout)
        }
        return .or([own].compactMap { $0 } + conditions)
    }
}

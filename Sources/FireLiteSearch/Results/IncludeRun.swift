import FireLite
import FireLiteCore

/// Finds the resources that `_include` and `_revinclude` add.
struct IncludeRun {
    let run: SearchRun

    private var transaction: ReadTransaction { run.transaction }
    private var release: FHIRRelease { run.release }

    /// Up to this number of resources, references are looked for by their texts.
    private static let fewResources = 32

    func resources(for matches: [FHIRResource]) throws -> [FHIRResource] {
        let includes = run.control.includes
        guard !includes.isEmpty else { return [] }
        var seen = Set(matches.compactMap { transaction.key(of: $0) })
        var found: [FHIRResource] = []
        var latest = matches
        var isFirst = true
        while !latest.isEmpty {
            var next: [FHIRResource] = []
            for include in includes where isFirst || include.isIterating {
                let more = include.isReverse ? try referring(to: latest, include) : try referred(by: latest, include)
                for resource in more {
                    guard let key = transaction.key(of: resource), seen.insert(key).inserted else { continue }
                    next.append(resource)
                }
                guard found.count + next.count <= run.options.maximumIncluded else {
                    throw SearchError(.notSupported, "more than \(run.options.maximumIncluded) resources are included", in: "_include")
                }
            }
            found += next
            latest = next
            isFirst = false
        }
        return found
    }

    private func definitions(_ include: SearchControl.Include, on layout: Layout) throws -> [SearchDefinition] {
        guard let code = include.parameter else { return run.catalog.parameters(of: layout).filter { $0.kind == .reference } }
        // Of an include of all types, some lack the parameter.
        guard let definition = try run.catalog.parameter(code, on: layout), definition.kind == .reference else { return [] }
        return [definition]
    }

    // MARK: - Forward

    private func referred(by resources: [FHIRResource], _ include: SearchControl.Include) throws -> [FHIRResource] {
        var found: [FHIRResource] = []
        for resource in resources where include.source == nil || include.source == resource.resourceType {
            for definition in try definitions(include, on: resource.layout) {
                guard let compiled = try self.compiled(definition, include, on: resource.layout) else { continue }
                for path in compiled.paths { found += try targets(of: path, definition, in: resource, include.target) }
            }
        }
        return found
    }

    /// Nil if all parameters are asked for and this one is more than a path.
    private func compiled(
        _ definition: SearchDefinition, _ include: SearchControl.Include, on layout: Layout
    ) throws -> CompiledExpression? {
        do {
            return try run.catalog.compiled(definition, on: layout)
        } catch let error as SearchError {
            guard include.parameter == nil else { throw error }
            return nil
        }
    }

    private func targets(
        of path: SearchPath, _ definition: SearchDefinition, in resource: FHIRResource, _ wanted: String?
    ) throws -> [FHIRResource] {
        guard case .object = path.end else { return try canonicalTargets(of: path, definition, in: resource, wanted) }
        let reference = path.typeName == "Reference" ? path : path.child("reference")
        guard let reference else { return [] }
        return try reference.objects(in: resource).compactMap { object in
            guard let text = object.text("reference") else { return nil }
            let parts = ReferenceParts(text)
            if let type = parts.type {
                guard wanted.map({ $0 == type }) ?? true, path.targetType.map({ $0 == type }) ?? true else { return nil }
            }
            guard parts.form != .contained, let target = try (object as? any FHIRReference)?.resolve(in: run.store) else { return nil }
            return wanted.map { $0 == target.resourceType } ?? true ? target : nil
        }
    }

    private func canonicalTargets(
        of path: SearchPath, _ definition: SearchDefinition, in resource: FHIRResource, _ wanted: String?
    ) throws -> [FHIRResource] {
        guard case .primitive = path.end else { return [] }
        let urls = path.texts(in: resource).map { String($0.split(separator: "|").first ?? "") }
        guard !urls.isEmpty else { return [] }
        return try run.builder.targets(of: path, definition, wanted).flatMap { layout -> [FHIRResource] in
            guard let url = layout.element(named: "url") else { return [] }
            var query = QueryRequest(layout)
            query.predicate = .value(QueryPath([PathStep(slot: url.slot)]), .oneOf(urls.map { .text($0) }))
            return try transaction.resources(keys: transaction.places(query).map(\.key))
        }
    }

    // MARK: - Reverse

    private func referring(to resources: [FHIRResource], _ include: SearchControl.Include) throws -> [FHIRResource] {
        guard let source = include.source, let layout = release.resourceLayout(named: source) else { return [] }
        let definitions = try definitions(include, on: layout)
        guard transaction.hasTable(of: layout) else { return [] }
        // Nothing but its container refers to a contained resource.
        let wanted = resources.filter { transaction.key(of: $0) != nil && (include.target == nil || include.target == $0.resourceType) }
        guard !wanted.isEmpty else { return [] }
        var conditions: [Predicate] = []
        for definition in definitions {
            guard let compiled = try self.compiled(definition, include, on: layout) else { continue }
            if wanted.count <= Self.fewResources {
                let texts = wanted.compactMap { resource in resource.id.map { "\(resource.resourceType)/\($0)" } }
                let matcher = ReferenceMatcher(builder: run.builder, name: definition.code, modifier: nil, targets: definition.targets)
                conditions.append(matcher.condition(compiled.paths, texts.map(SearchRequest.escaped)))
            } else {
                for (type, group) in Dictionary(grouping: wanted, by: \.resourceType).sorted(by: { $0.key < $1.key }) {
                    guard let target = release.resourceLayout(named: type) else { continue }
                    let keys = group.compactMap { transaction.key(of: $0) }
                    for path in compiled.paths where path.targetType == nil || path.targetType == type {
                        let reference = path.typeName == "Reference" ? path : path.child("reference")
                        guard let reference, reference.typeName == "Reference" else { continue }
                        conditions.append(reference.single { .target($0, target, .keys(keys)) })
                    }
                }
            }
        }
        var query = QueryRequest(layout)
        query.predicate = .or(conditions)
        query.limit = run.options.maximumIncluded + 1
        return try transaction.resources(keys: transaction.places(query).map(\.key))
    }
}

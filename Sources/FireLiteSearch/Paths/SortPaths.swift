import FireLite

/// The values that a parameter sorts by: of several, the least in ascending and the greatest in descending order.
enum SortPaths {
    /// - Throws: `SearchError.notSupported` for a parameter whose values have no order in columns.
    static func paths(_ compiled: CompiledExpression, _ definition: SearchDefinition) throws -> [SortPath] {
        guard compiled.conditions.isEmpty, definition.kind != .composite, definition.kind != .special else {
            throw SearchError(.notSupported, "results cannot be sorted by this parameter", in: definition.code)
        }
        return compiled.paths.flatMap { values($0, definition.kind) }.map { path in
            var filters = path.filters.map { SortPath.Filter(path: $0.path, condition: $0.condition) }
            guard let type = path.targetType else { return SortPath(QueryPath(path.steps), filters: filters) }
            filters.append(SortPath.Filter(path: QueryPath(path.steps), condition: .value(QueryPath(), .referenceType(type))))
            return SortPath(QueryPath(), filters: filters)
        }
    }

    /// The primitives at a path's end that a kind of parameter orders by.
    static func values(_ path: SearchPath, _ kind: SearchDefinition.Kind) -> [SearchPath] {
        if path.isPresence { return [] }
        guard case .object(let layout) = path.end else {
            if case .primitive(let type) = path.end { return fits(type, kind) ? [path] : [] }
            return []
        }
        func children(_ names: String...) -> [SearchPath] { names.compactMap { path.child($0) } }
        switch layout.name {
        case "HumanName": return children("family")
        case "Address": return children("city")
        case "CodeableConcept": return kind == .string ? children("text") : path.child("coding")?.child("code").map { [$0] } ?? []
        case "CodeableReference": return path.child(kind == .reference ? "reference" : "concept").map { values($0, kind) } ?? []
        case "Coding": return children(kind == .string ? "display" : "code")
        case "Identifier", "ContactPoint": return children("value")
        case "Reference": return children("reference")
        case "Period": return children("start", "end")
        case "Timing": return ConditionBuilder.dates(path).flatMap { values($0, kind) }
        case "Range": return [path.child("low")?.child("value"), path.child("high")?.child("value")].compactMap { $0 }
        default: return layout.element(named: "value")?.primitive?.storage == .decimal ? children("value") : []
        }
    }

    private static func fits(_ type: PrimitiveType, _ kind: SearchDefinition.Kind) -> Bool {
        switch kind {
        case .date: type.storage == .temporal
        case .number: type.storage == .integer || type.storage == .decimal
        case .quantity: type.storage == .decimal
        case .string, .uri, .reference: type.storage == .text
        default: true
        }
    }
}

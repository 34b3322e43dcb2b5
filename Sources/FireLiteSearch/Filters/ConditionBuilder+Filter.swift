import FireLite

extension ConditionBuilder {
    /// `_filter=name co "pet" and birthdate ge 2014`.
    func filter(_ value: String, on layout: Layout, _ depth: Int) throws -> Predicate {
        try condition(SearchFilter(value), on: layout, depth)
    }

    private func condition(_ filter: SearchFilter, on layout: Layout, _ depth: Int) throws -> Predicate {
        switch filter {
        case .and(let parts): return try all(parts.map { try condition($0, on: layout, depth) }, on: layout)
        case .or(let parts): return try any(parts.map { try condition($0, on: layout, depth) }, on: layout)
        case .not(let inner): return .not(try condition(inner, on: layout, depth))
        case .test(let path, let operation, let value):
            guard let found = try condition(path, value, on: layout, depth: depth + 1, by: operation) else {
                throw SearchError(.unknownParameter, "\(layout.name) has no such parameter\(catalog.hint(for: path, on: layout))", in: path)
            }
            return found
        }
    }

    /// The condition of one comparison of a filter.
    func condition(
        _ definition: SearchDefinition, operation: SearchFilter.Operation, value: String, on layout: Layout, _ name: String
    ) throws -> Predicate {
        func parameter(_ modifier: SearchModifier? = nil, prefix: String = "") throws -> Predicate {
            try condition(definition, modifier: modifier, value: prefix + value, on: layout, name)
        }
        func present() throws -> Predicate { try condition(definition, modifier: .missing, value: "false", on: layout, name) }
        if operation == .pr {
            guard value == "true" || value == "false" else { throw SearchError(.invalid, "pr takes true or false", in: name) }
            return value == "true" ? try present() : .not(try present())
        }
        switch (definition.kind, operation) {
        case (.string, .eq), (.string, .co), (.string, .sw), (.string, .ew):
            return try text(definition, operation: operation, value: value, on: layout, name)
        case (.string, .ne): return .and([try present(), .not(try text(definition, operation: .eq, value: value, on: layout, name))])
        case (.token, .eq), (.reference, .eq), (.reference, .re), (.uri, .eq), (.composite, .eq), (.special, .eq): return try parameter()
        case (.token, .ne), (.reference, .ne), (.uri, .ne): return .and([try present(), .not(try parameter())])
        case (.token, .isIn): return try parameter(.isIn)
        case (.token, .notIn): return .and([try present(), .not(try parameter(.isIn))])
        // The value subsumes what is in the record, or is subsumed by it.
        case (.token, .ss), (.uri, .ss): return try parameter(.below)
        case (.token, .sb), (.uri, .sb): return try parameter(.above)
        case (.uri, .co), (.uri, .sw), (.uri, .ew): return try text(definition, operation: operation, value: value, on: layout, name)
        case (.date, .po): return try overlap(definition, value, on: layout, name)
        case (.date, _), (.number, _), (.quantity, _):
            guard SearchPrefix(rawValue: operation.rawValue) != nil else { break }
            return try parameter(prefix: operation.rawValue)
        default: break
        }
        throw SearchError(.notSupported, "the comparison \(operation.rawValue) does not apply to this parameter", in: name)
    }

    /// Texts are compared without regard to case and accents.
    private func text(
        _ definition: SearchDefinition, operation: SearchFilter.Operation, value: String, on layout: Layout, _ name: String
    ) throws -> Predicate {
        let way: TextOperator =
            switch operation {
            case .co: .contains
            case .sw: .hasPrefix
            case .ew: .hasSuffix
            default: .equal
            }
        let texts = try catalog.compiled(definition, on: layout).paths.flatMap(StringMatcher.texts)
        let plain = SearchText.plain(value)
        return .or(texts.map { $0.value(.text(way, of: plain, .all)) })
    }

    /// `po`: both periods have some moment in common.
    private func overlap(_ definition: SearchDefinition, _ value: String, on layout: Layout, _ name: String) throws -> Predicate {
        guard let date = SearchDate(SearchText.plain(value), in: options.timeZone) else {
            throw SearchError(.invalid, "the value is not a date", in: name)
        }
        return dates(date, .ap, try catalog.compiled(definition, on: layout).paths)
    }
}

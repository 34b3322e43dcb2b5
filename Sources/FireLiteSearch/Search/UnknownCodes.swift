import FireLite

/// A code that a search asks for where the release binds the element to a list of codes without it. No valid resource has it.
package struct UnknownCode: Sendable, Hashable, CustomStringConvertible {
    /// The name of the parameter in the request.
    package let parameter: String
    /// The code, as the request has it.
    package let code: String
    /// The codes of the list.
    package let known: [String]

    /// The number of codes that a description lists.
    private static let listed = 12

    package var description: String {
        let names = known.prefix(Self.listed).joined(separator: ", ") + (known.count > Self.listed ? " …" : "")
        return "\(parameter): '\(code)' is none of its codes: \(names)"
    }
}

extension ReadTransaction {
    /// The unknown codes of a search for one type, or for those of `_type`: of its token parameters without a modifier, or with `:not`.
    ///
    /// A search for such a code finds nothing but resources that are not valid. Chains are not looked into.
    /// - Throws: `SearchError`; `FHIRStoreError`.
    package func unknownCodes(in request: SearchRequest) throws -> [UnknownCode] {
        let control = try SearchControl(request)
        let catalog = ParameterCatalog(store)
        let layouts = (request.type.map { [$0] } ?? control.types).compactMap { store.release.resourceLayout(named: $0) }
        guard !layouts.isEmpty else { return [] }
        return try control.conditions.flatMap { parameter -> [UnknownCode] in
            let name = SearchParameterName(parameter.name)
            guard name.chain == nil, name.modifier == nil || name.modifier == "not", !parameter.name.hasPrefix("_has:") else { return [] }
            var known: Set<String> = []
            var list: [String] = []
            for layout in layouts {
                guard let definition = try catalog.parameter(name.code, on: layout) else { continue }
                guard definition.kind == .token, let codes = try codes(of: catalog.compiled(definition, on: layout), on: layout) else {
                    return []
                }
                list += codes.filter { known.insert($0).inserted }
            }
            guard !list.isEmpty else { return [] }
            return SearchText.alternatives(parameter.value).compactMap { SearchToken($0).code }.filter { !known.contains($0) }.map {
                UnknownCode(parameter: parameter.name, code: $0, known: list)
            }
        }
    }

    /// The codes that the elements of an expression can have; nil if one can have others.
    private func codes(of expression: CompiledExpression, on layout: Layout) throws -> [String]? {
        guard expression.conditions.isEmpty, !expression.paths.isEmpty else { return nil }
        var codes: [String] = []
        for path in expression.paths {
            guard !path.isPresence, case .primitive(let type) = path.end, let element = path.lastElement(from: layout) else { return nil }
            if type == .boolean {
                codes += ["true", "false"]
            } else if let known = element.binding.flatMap({ store.release.codes(ofBinding: $0) }), !known.isEmpty {
                codes += known.map(String.init)
            } else {
                return nil
            }
        }
        return codes
    }
}

extension SearchPath {
    /// The definition of the element at the end; nil if the way leads through contained resources.
    fileprivate func lastElement(from layout: Layout) -> LayoutElement? {
        var (layout, element): (Layout?, LayoutElement?) = (layout, nil)
        for step in filters.flatMap(\.path.steps) + steps {
            guard let current = layout, step.slot < current.elements.count else { return nil }
            element = current.elements[step.slot]
            layout = element?.layout
        }
        return element
    }
}

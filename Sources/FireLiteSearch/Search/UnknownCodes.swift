import FireLite

/// A code that a search asks for where the release binds the element to a list of codes without it, or a reference to a type that it cannot lead to. No
/// valid resource has it.
package struct UnknownCode: Sendable, Hashable, CustomStringConvertible {
    /// The name of the parameter in the request, with its chain.
    package let parameter: String
    /// The parameter that the code is for, if the name in the request does not end with it, as with `_filter`.
    package let inner: String?
    /// The code or the reference, as the request has it.
    package let code: String
    /// The codes of the list.
    package let known: [String]
    /// Why no resource can have the reference; nil for a code.
    package let problem: String?

    /// The number of codes that a description lists.
    private static let listed = 12

    package var description: String {
        if let problem { return "\(parameter)\(inner.map { " (\($0))" } ?? ""): \(problem)" }
        let names = known.prefix(Self.listed).joined(separator: ", ") + (known.count > Self.listed ? " …" : "")
        return "\(parameter)\(inner.map { " (\($0))" } ?? ""): '\(code)' is none of its codes: \(names)"
    }
}

/// Collects the codes that a search asks for while its conditions are built, wherever they stand: in a parameter, a chain, `_has` or `_filter`.
///
/// A code is known if one of the elements that it is compared with can have it: a parameter of several types is built for each.
/// A builder and its copies share one list, in one thread.
final class SearchedCodes {
    private struct Place: Hashable {
        let parameter: String
        let name: String
        let code: String
    }

    /// The parameter of the request whose conditions are being built.
    var parameter = ""
    private var places: [Place] = []
    /// The codes of the lists that a code is not in; nil if it is known.
    private var lists: [Place: [String]?] = [:]
    /// Why no resource can have a reference; nil if one can.
    private var problems: [Place: String?] = [:]

    /// Notes codes that are compared with elements that can have those of the list; nil stands for any.
    func add(_ codes: [String], _ list: [String]?, _ name: String) {
        let known = list.map(Set.init)
        for code in codes {
            let place = Place(parameter: parameter, name: name, code: code)
            let isKnown = known.map { $0.contains(code) } ?? true
            switch lists[place] {
            case nil:
                places.append(place)
                lists[place] = .some(isKnown ? nil : list)
            case .some(.some(let others)): lists[place] = .some(isKnown ? nil : others + (list ?? []).filter { !others.contains($0) })
            case .some(.none): break
            }
        }
    }

    /// Notes a reference, and why a parameter cannot have it; nil if it can.
    func add(reference: String, _ problem: String?, _ name: String) {
        let place = Place(parameter: parameter, name: name, code: reference)
        if let known = problems[place] {
            if known != nil { problems[place] = .some(problem) }
        } else {
            places.append(place)
            problems[place] = .some(problem)
        }
    }

    /// The codes that no element can have, and the references that lead nowhere, in the order of the request.
    var unknown: [UnknownCode] {
        places.compactMap { place in
            let isNamed = place.parameter.hasSuffix(place.name)
            let inner = isNamed ? nil : place.name
            if case .some(.some(let problem)) = problems[place] {
                return UnknownCode(parameter: place.parameter, inner: inner, code: place.code, known: [], problem: problem)
            }
            guard case .some(.some(let list)) = lists[place] else { return nil }
            return UnknownCode(parameter: place.parameter, inner: inner, code: place.code, known: list, problem: nil)
        }
    }
}

extension ReadTransaction {
    /// The unknown codes of a search: of its token parameters without a modifier, or with `:not`, also in chains, `_has` and `_filter`. With them, the
    /// relative references of its reference parameters to types that the release does not have, or that the parameter does not lead to.
    ///
    /// A search for such a code finds nothing but resources that are not valid.
    /// - Complexity: builds the conditions of the search, and does not run it.
    /// - Throws: what the search throws; `FHIRStoreError`.
    package func unknownCodes(in request: SearchRequest, options: SearchOptions = SearchOptions()) throws -> [UnknownCode] {
        var run = try SearchRun(self, request, options)
        let codes = SearchedCodes()
        run.builder.codes = codes
        _ = try run.requests()
        return codes.unknown
    }
}

extension ConditionBuilder {
    /// Notes the codes that a token parameter asks for.
    func note(
        _ definition: SearchDefinition, compiled: CompiledExpression, modifier: SearchModifier?, alternatives: [String],
        layout: Layout,
        name: String
    ) {
        guard let codes, definition.kind == .token, modifier == nil || modifier == .not else { return }
        codes.add(alternatives.compactMap { SearchToken($0).code }, known(compiled, on: layout), name)
    }

    /// The codes that the elements of an expression can have; nil if one can have others.
    private func known(_ expression: CompiledExpression, on layout: Layout) -> [String]? {
        guard expression.conditions.isEmpty, !expression.paths.isEmpty else { return nil }
        var codes: [String] = []
        for path in expression.paths {
            guard !path.isPresence, case .primitive(let type) = path.end, let element = path.lastElement(from: layout) else { return nil }
            if type == .boolean {
                codes += ["true", "false"]
            } else if let known = element.binding.flatMap({ release.codes(ofBinding: $0) }), !known.isEmpty {
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

import FireLite
import FireLiteCore

// Names that a request has besides its conditions: types, elements and includes. They are checked before anything is read, so that a search that only
// counts, or finds nothing, is checked, too.
extension SearchRun {
    /// A word in the list of a parameter, and why nothing has this name.
    private struct UnknownName {
        let parameter: String
        let word: String
        let error: SearchError
    }

    /// Leaves out types, elements and includes that do not exist, and notes them.
    ///
    /// - Throws: `SearchError` for the first one unless the handling is lenient, and in any case if no type is left, as all would be searched then.
    mutating func leaveOutUnknownNames() throws {
        let types = control.types.filter { release.resourceLayout(named: $0) == nil }.map { type in
            UnknownName(parameter: "_type", word: type, error: unknownType(type, in: "_type"))
        }
        if request.type == nil, let first = types.first, types.count == control.types.count { throw first.error }
        try leaveOut(types)
        try leaveOut(unknownElements() + unknownIncludes())
    }

    private mutating func leaveOut(_ names: [UnknownName]) throws {
        guard let first = names.first else { return }
        guard options.handling == .lenient else { throw first.error }
        for name in names where !ignored.contains(name.error) { ignored.append(name.error) }
        request = request.without(words: Dictionary(grouping: names, by: \.parameter).mapValues { Set($0.map(\.word)) })
        control = try SearchControl(request)
    }

    /// The error of a type that the release does not have.
    func unknownType(_ name: String, in parameter: String? = nil) -> SearchError {
        let hint = NearWords.hint(for: name, among: release.resourceTypeNames)
        return SearchError(.unknownType, "'\(name)' is not a resource type of FHIR \(release.name)\(hint)", in: parameter)
    }

    // MARK: - Elements

    private func unknownElements() throws -> [UnknownName] {
        guard !control.elements.isEmpty else { return [] }
        let layouts = try layouts()
        // A store without resources has no types.
        guard !layouts.isEmpty else { return [] }
        let words = layouts.flatMap { $0.elements.map { $0.choice.map { String($0.name.dropLast(3)) } ?? $0.name } }
        return control.elements.compactMap { name in
            if layouts.contains(where: { SearchSubset.hasElement(name, $0) }) || bringsOthers && someType(has: name) { return nil }
            let own = name.split(separator: ".").map(String.init)
            let hint = NearWords.hint(for: own.count > 1 ? own[1] : name, among: words)
            let text = request.type.map { "\($0) has no element '\(name)'" } ?? "none of the types has an element '\(name)'"
            return UnknownName(parameter: "_elements", word: name, error: SearchError(.invalid, text + hint, in: "_elements"))
        }
    }

    /// Whether results can have resources of other types.
    private var bringsOthers: Bool { !control.includes.isEmpty || control.contained != .none || request.isEverything }

    private func someType(has element: String) -> Bool {
        release.resourceTypeNames.contains { name in
            release.resourceLayout(named: name).map { SearchSubset.hasElement(element, $0) } ?? false
        }
    }

    // MARK: - Includes

    private func unknownIncludes() throws -> [UnknownName] {
        try control.includes.compactMap { include in
            let parameter = include.isReverse ? "_revinclude" : "_include"
            return try error(of: include, in: parameter).map { UnknownName(parameter: parameter, word: include.text, error: $0) }
        }
    }

    /// - Throws: `SearchError` of the store's own parameters.
    private func error(of include: SearchControl.Include, in parameter: String) throws -> SearchError? {
        if let target = include.target, release.resourceLayout(named: target) == nil { return unknownType(target, in: parameter) }
        guard let source = include.source else { return nil }
        guard let layout = release.resourceLayout(named: source) else { return unknownType(source, in: parameter) }
        guard let code = include.parameter, try catalog.parameter(code, on: layout)?.kind != .reference else { return nil }
        let hint = catalog.hint(for: code, on: [layout], kind: .reference)
        return SearchError(.unknownParameter, "\(layout.name) has no reference parameter '\(code)'\(hint)", in: parameter)
    }
}

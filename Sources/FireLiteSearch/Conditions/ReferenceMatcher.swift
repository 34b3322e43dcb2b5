import FireLite

/// The conditions of reference parameters.
struct ReferenceMatcher {
    let builder: ConditionBuilder
    let name: String
    let modifier: String?
    /// The types that the parameter's definition states.
    let targets: [String]

    /// Up to this number of possible types, all forms of a reference are looked for.
    private static let fewTypes = 12

    /// - Throws: `SearchError` for an unknown modifier or type.
    func condition(_ paths: [SearchPath], _ values: [String]) throws -> Predicate {
        var type: String?
        switch modifier {
        case nil: break
        case "identifier": return identifier(paths, values.map { SearchToken($0) })
        case "text":
            let plain = values.map(SearchText.plain)
            let displays = paths.compactMap { references($0)?.child("display") }
            return .or(plain.flatMap { text in displays.map { $0.value(.text(.hasPrefix, of: text, .all)) } })
        case "above", "below": return try URIMatcher(name: name, modifier: modifier).condition(paths.filter(Self.isURI), values)
        case let name?:
            guard builder.release.hasResourceType(named: name) else { throw builder.unknownModifier(modifier, self.name) }
            type = name
        }
        let texts = values.map(SearchText.plain)
        return .or(paths.map { condition($0, texts, type) })
    }

    private static func isURI(_ path: SearchPath) -> Bool {
        if case .primitive = path.end { true } else { false }
    }

    /// The Reference at a path's end.
    private func references(_ path: SearchPath) -> SearchPath? {
        switch path.typeName {
        case "Reference": path
        case "CodeableReference": path.child("reference")
        default: nil
        }
    }

    private func identifier(_ paths: [SearchPath], _ tokens: [SearchToken]) -> Predicate {
        let compiled = CompiledExpression(paths: paths.compactMap { references($0)?.child("identifier") })
        return TokenMatcher(builder: builder, name: name, modifier: nil).matching(compiled, tokens)
    }

    private func condition(_ path: SearchPath, _ texts: [String], _ type: String?) -> Predicate {
        switch path.end {
        case .primitive: return canonical(path, texts)
        case .resource: return contained(path, texts, type)
        case .object:
            guard let reference = references(path), let text = reference.child("reference") else { return .constant(false) }
            return self.reference(reference, text, texts, type)
        }
    }

    /// A canonical URL, with a version or without.
    private func canonical(_ path: SearchPath, _ texts: [String]) -> Predicate {
        .or(
            [path.value(.oneOf(texts.map { .text($0) }))]
                + texts.filter { !$0.contains("|") }.map { path.value(.text(.hasPrefix, $0 + "|", [])) })
    }

    /// A resource in a resource, by its id.
    private func contained(_ path: SearchPath, _ texts: [String], _ type: String?) -> Predicate {
        .or(
            texts.flatMap { text -> [Predicate] in
                let parts = ReferenceParts(text)
                let (id, named) = parts.form == .relative ? (parts.id ?? text, parts.type) : (text, nil)
                return builder.targetNames(of: path, targets, named ?? type).compactMap { name in
                    guard let layout = builder.release.resourceLayout(named: name), builder.transaction.hasTable(of: layout),
                        let inside = path.containing(layout), let element = inside.child("id")
                    else { return nil }
                    return element.value(.compare(.equal, .text(id)))
                }
            })
    }

    private func reference(_ path: SearchPath, _ reference: SearchPath, _ texts: [String], _ type: String?) -> Predicate {
        var plain: [String] = []
        var parts: [Predicate] = []
        for text in texts {
            let named = ReferenceParts(text)
            switch named.form {
            case .relative:
                guard let target = named.type, path.targetType.map({ $0 == target }) ?? true, type.map({ $0 == target }) ?? true else {
                    continue
                }
                // A version narrows the search to references with it.
                if named.version != nil {
                    parts.append(reference.value(.oneOf([.text(text)])))
                } else {
                    plain.append(text)
                }
            case .uuid: plain.append(text)
            case .absolute:
                guard path.targetType.map({ $0 == named.type }) ?? true, type.map({ $0 == named.type }) ?? true else { continue }
                parts.append(reference.value(.compare(.equal, .text(text))))
                if named.version == nil { parts.append(reference.value(.text(.hasPrefix, text + "/_history/", []))) }
            case .contained, .oid: parts.append(reference.value(.compare(.equal, .text(text))))
            case .other:
                let names = builder.targetNames(of: path, targets, type)
                if names.count <= Self.fewTypes {
                    plain += names.map { "\($0)/\(text)" }
                } else {
                    parts.append(reference.value(.oneOf(names.map { .text("\($0)/\(text)") })))
                    parts.append(
                        .and([reference.value(.text(.hasPrefix, "http", [])), reference.value(.text(.hasSuffix, "/" + text, []))]))
                }
                let uuid = ReferenceParts.uuidPrefix + text
                if ReferenceParts(uuid).form == .uuid { plain.append(uuid) }
                if text.contains(":") { parts.append(reference.value(.compare(.equal, .text(text)))) }
            }
        }
        if !plain.isEmpty { parts.append(path.single { .refers($0, plain) }) }
        return .or(parts)
    }
}

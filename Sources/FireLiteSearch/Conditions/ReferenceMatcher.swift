import FireLite
import FireLiteCore

/// The conditions of reference parameters.
struct ReferenceMatcher {
    let builder: ConditionBuilder
    let name: String
    let modifier: SearchModifier?
    /// The types that the parameter's definition states.
    let targets: [String]

    func condition(_ paths: [SearchPath], _ values: [String]) -> Predicate {
        var type: String?
        switch modifier {
        case .identifier?: return identifier(paths, values.map { SearchToken($0) })
        case .text?:
            let plain = values.map(SearchText.plain)
            let displays = paths.compactMap { Self.references($0)?.child("display") }
            return .or(plain.flatMap { text in displays.map { $0.value(.text(.hasPrefix, of: text, .all)) } })
        case .above?, .below?: return URIMatcher(modifier: modifier).condition(paths.filter(Self.isURI), values)
        case .type(let name)?: type = name
        default: break
        }
        let texts = values.map(SearchText.plain)
        note(texts, paths)
        return .or(paths.map { condition($0, texts, type) })
    }

    /// Notes relative references and whether the paths can have them. Those of other forms can be anybody's.
    private func note(_ texts: [String], _ paths: [SearchPath]) {
        guard let codes = builder.codes, !paths.isEmpty, !paths.contains(where: Self.isURI) else { return }
        let release = builder.release
        for text in texts {
            guard let type = Self.relativeType(text) else { continue }
            var problem: String?
            if !release.hasResourceType(named: type) {
                let hint = NearWords.hint(for: type, among: release.resourceTypeNames)
                problem = "'\(text)': '\(type)' is not a resource type of FHIR \(release.name)\(hint)"
            } else {
                let names = Set(paths.flatMap { builder.targetNames(of: $0, targets, nil) }).sorted()
                if !names.contains(type) { problem = "'\(text)': it refers to \(names.joined(separator: ", ")), never to \(type)" }
            }
            codes.add(reference: text, problem, name)
        }
    }

    /// The type of `Type/id`, with a version or without, whether the release has it or not; nil for other texts.
    private static func relativeType(_ text: String) -> String? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].utf8.first, 65...90 ~= first || 97...122 ~= first,
            parts[0].utf8.allSatisfy({ 65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 }),
            ReferenceParts("Patient/" + parts[1]).form == .relative
        else { return nil }
        return String(parts[0])
    }

    private static func isURI(_ path: SearchPath) -> Bool {
        if case .primitive = path.end { true } else { false }
    }

    /// The Reference at a path's end.
    private static func references(_ path: SearchPath) -> SearchPath? {
        switch path.typeName {
        case "Reference": path
        case "CodeableReference": path.child("reference")
        default: nil
        }
    }

    // MARK: - Types

    /// The condition that there is a reference at a path: one to the type that the path names, if it does.
    static func presence(_ path: SearchPath) -> Predicate {
        guard let type = path.targetType, let reference = references(path), case .object(let layout) = reference.end else {
            return path.exists
        }
        return reference.some { leads($0, layout, to: type) }
    }

    /// The condition that a Reference is to a resource of a type: by its text, and without a text by its `type`. An identifier alone may be
    /// anybody's, as a `urn:uuid:` may.
    private static func leads(_ start: QueryPath, _ layout: Layout, to type: String) -> Predicate {
        guard let text = start.element("reference", of: layout) else { return .constant(false) }
        let byText = Predicate.value(text, .referenceType(type))
        guard let identifier = start.element("identifier", of: layout) else { return byText }
        var unknown = Predicate.exists(identifier)
        if let named = start.element("type", of: layout) {
            let names = [type, "http://hl7.org/fhir/StructureDefinition/" + type].map { SQLValue.text($0) }
            unknown = .or([.value(named, .oneOf(names)), .and([.not(.exists(named)), unknown])])
        }
        return .or([byText, .and([.not(.exists(text)), unknown])])
    }

    private func identifier(_ paths: [SearchPath], _ tokens: [SearchToken]) -> Predicate {
        let matcher = TokenMatcher(builder: builder, name: name, modifier: nil)
        return .or(
            paths.compactMap(Self.references).compactMap { path in
                guard let type = path.targetType, case .object(let layout) = path.end else {
                    return path.child("identifier").map { matcher.matching(CompiledExpression(paths: [$0]), tokens) }
                }
                guard let identifier = SearchPath(layout).child("identifier") else { return nil }
                let isNamed = matcher.matching(CompiledExpression(paths: [identifier]), tokens)
                return path.single { .any($0, .and([isNamed, Self.leads(QueryPath(), layout, to: type)])) }
            })
    }

    // MARK: - References

    private func condition(_ path: SearchPath, _ texts: [String], _ type: String?) -> Predicate {
        switch path.end {
        case .primitive: return canonical(path, texts)
        case .resource: return contained(path, texts, type)
        case .object:
            guard let reference = Self.references(path), let text = reference.child("reference") else { return .constant(false) }
            return self.reference(reference, reference: text, texts: texts, type: type)
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

    private func reference(_ path: SearchPath, reference: SearchPath, texts: [String], type: String?) -> Predicate {
        var led: [String] = []
        var literal: [SQLValue] = []
        var parts: [Predicate] = []
        for text in texts {
            let named = ReferenceParts(text)
            switch named.form {
            case .relative, .absolute:
                guard path.targetType.map({ $0 == named.type }) ?? true, type.map({ $0 == named.type }) ?? true else { continue }
                led.append(text)
                if builder.countsAnyBase, let type = named.type, let id = named.id {
                    parts.append(reference.value(.referenceTo(type: type, id: id)))
                }
            case .uuid: led.append(text)
            case .contained, .oid: literal.append(.text(text))
            case .other:
                // An id alone, with a version or without: of each type that the reference may lead to.
                guard ReferenceParts("Resource/" + text).form == .relative else {
                    literal.append(.text(text))
                    continue
                }
                led += builder.targetNames(of: path, targets, type).map { "\($0)/\(text)" }
                let uuid = ReferenceParts.uuidPrefix + text
                if ReferenceParts(uuid).form == .uuid { led.append(uuid) }
            }
        }
        if !led.isEmpty { parts.append(path.single { .refers($0, led) }) }
        if !literal.isEmpty { parts.append(reference.value(.oneOf(literal))) }
        return .or(parts)
    }
}

import FireLiteCore

/// The tests of a slice in FHIRPath.
struct SliceExpression {
    /// The layout of the items.
    let layout: Layout
    /// Whether the text is for a search parameter, which may use less of FHIRPath, but the target of references.
    let isSearch: Bool

    func text(_ tests: [RuleTest]) -> String { tests.map(text).joined(separator: " and ") }

    private func text(_ test: RuleTest) -> String {
        switch test {
        case .pattern(let path, let pattern):
            // A comparison is of one value, but in a search parameter of any.
            return Self.text(pattern, path.joined(separator: "."), single: isSearch || path.count == 1)
        case .codes(let path, let codes): return self.codes(codes, path)
        case .type(let path, let types):
            return Self.alternatives(types.map { Self.joined(path, "ofType(\($0))") + ".exists()" })
        case .exists(let path, let flag): return Self.joined(path, flag ? "exists()" : "empty()")
        case .targets(let path, let types):
            if isSearch { return Self.alternatives(types.map { (path + ["resolve()"]).joined(separator: ".") + " is \($0)" }) }
            let tests = types.map { "type = '\($0)' or reference.matches('\(Self.address(of: $0))')" }.joined(separator: " or ")
            return path.isEmpty ? "(\(tests))" : Self.joined(path, "where(\(tests)).exists()")
        case .resource(let path, let types, let tests):
            return Self.alternatives(
                types.compactMap { type in
                    layout.release.resourceLayout(named: type).map { resource in
                        let inner = SliceExpression(layout: resource, isSearch: isSearch).text(tests)
                        return Self.joined(path, "ofType(\(type)).where(\(inner)).exists()")
                    }
                })
        case .profile(let url):
            let text = Self.quoted(url)
            if isSearch { return "meta.profile = \(text)" }
            return "meta.profile.where($this = \(text) or $this.startsWith(\(Self.quoted(url + "|")))).exists()"
        case .any(let lists): return Self.alternatives(lists.map { "(\(self.text($0)))" })
        case .none(let lists): return "(\(lists.map { "(\(self.text($0)))" }.joined(separator: " or "))).not()"
        }
    }

    private static func joined(_ path: [String], _ last: String) -> String {
        ((path.isEmpty ? ["$this"] : path) + [last]).joined(separator: ".")
    }

    private static func alternatives(_ texts: [String]) -> String {
        texts.count == 1 ? texts[0] : "(\(texts.joined(separator: " or ")))"
    }

    /// A regular expression for addresses that end in a type and an id (FHIR, References, Literal References).
    private static func address(of type: String) -> String {
        "^(https?://.+/)?\(type)/[A-Za-z0-9.-]{1,64}(/_history/[A-Za-z0-9.-]{1,64})?$"
    }

    private static func text(_ pattern: JSONItem, _ path: String, single: Bool) -> String {
        switch pattern.content {
        case .object(let members):
            let inner = members.flatMap { member -> [String] in
                let items = member.value.isArray ? member.value.items : [member.value]
                return items.map { text($0, member.name, single: true) }
            }.joined(separator: " and ")
            return path.isEmpty ? inner : "\(path).where(\(inner)).exists()"
        case .string(let text): return compare(path, quoted(text), single)
        case .bool(let flag): return compare(path, flag ? "true" : "false", single)
        case .number(let literal): return compare(path, literal, single)
        default: return "false"
        }
    }

    private static func compare(_ path: String, _ literal: String, _ single: Bool) -> String {
        single ? "\(path) = \(literal)" : "\(path).where($this = \(literal)).exists()"
    }

    private func codes(_ codes: [RuleTest.Code], _ path: [String]) -> String {
        let place = path.joined(separator: ".")
        var element: LayoutElement?
        var type: Layout? = layout
        for name in path {
            element = type?.ruleElements(named: name).first
            type = element?.layout
        }
        if element?.primitive != nil {
            if codes.contains(where: { $0.code == nil }) { return "\(place).exists()" }
            return Self.alternatives(codes.compactMap { $0.code.map { Self.compare(place, Self.quoted($0), isSearch || path.count == 1) } })
        }
        let tests = codes.map { code in
            "(system = \(Self.quoted(code.system)) and \(code.code.map { "code = \(Self.quoted($0))" } ?? "code.exists()"))"
        }
        if type?.name == "Coding", path.isEmpty { return Self.alternatives(tests) }
        let coding = type?.name == "Coding" ? path : path + ["coding"]
        return "\(coding.joined(separator: ".")).where(\(tests.joined(separator: " or "))).exists()"
    }

    private static func quoted(_ text: String) -> String {
        var result = ""
        for character in text {
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return "'\(result)'"
    }
}

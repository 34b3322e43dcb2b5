import FireLiteCore

/// A test for the items of a slice: a discriminator (FHIR, Profiling Resources, Discriminator), as far as the item itself answers it.
enum RuleTest: Sendable {
    /// A value at the path has what a pattern has.
    case pattern(path: [String], JSONItem)
    /// A value at the path is of one of these types.
    case type(path: [String], [String])
    /// A value at the path has one of these codes: system and code, or any code of a system.
    case codes(path: [String], [Code])
    /// There is a value at the path, or none.
    case exists(path: [String], Bool)
    /// A Reference at the path leads to a resource of one of these types.
    case targets(path: [String], [String])
    /// A resource at the path is of one of these types and passes all tests.
    case resource(path: [String], [String], [RuleTest])
    /// `meta.profile` of the resource has this URL, with or without a version.
    case profile(String)
    /// All tests of one of these lists pass.
    case any([[RuleTest]])
    /// Of each of these lists some test fails.
    case none([[RuleTest]])

    /// A code; nil for every code of the system.
    struct Code: Sendable {
        let system: String
        let code: String?
    }

    init(_ json: JSONItem) {
        let path = (json["path"]?.text ?? "").split(separator: ".").map(String.init).filter { $0 != "$this" }
        let types = json["types"]?.items.compactMap(\.text) ?? []
        if let pattern = json["pattern"] {
            self = .pattern(path: path, pattern)
        } else if let tests = json["all"] {
            self = .resource(path: path, types, tests.items.map(RuleTest.init))
        } else if json["types"] != nil {
            self = .type(path: path, types)
        } else if let targets = json["targets"] {
            self = .targets(path: path, targets.items.compactMap(\.text))
        } else if let codes = json["codes"] {
            self = .codes(
                path: path,
                codes.items.map { item in
                    Code(system: item.items.first?.text ?? "", code: item.items.count > 1 ? item.items.last?.text : nil)
                })
        } else if let profile = json["profile"]?.text {
            self = .profile(profile)
        } else if let lists = json["any"] {
            self = .any(lists.items.map { $0.items.map(RuleTest.init) })
        } else if let lists = json["none"] {
            self = .none(lists.items.map { $0.items.map(RuleTest.init) })
        } else if case .bool(let flag)? = json["exists"]?.content {
            self = .exists(path: path, flag)
        } else {
            self = .exists(path: path, true)
        }
    }

    // MARK: - Items

    /// Whether a value passes; nil if only other resources could tell.
    func passes(_ value: RuleValue) -> Bool? {
        switch self {
        case .pattern(let path, let pattern): return Self.values(at: path, value).contains { PatternMatch.holds(pattern, in: $0) }
        case .type(let path, let types): return Self.values(at: path, value).contains { types.contains($0.typeName) }
        case .codes(let path, let codes): return Self.values(at: path, value).contains { Self.hasCode($0, codes) }
        case .exists(let path, let flag): return Self.values(at: path, value).isEmpty != flag
        case .targets(let path, let types): return Self.leads(Self.values(at: path, value), to: types)
        case .resource(let path, let types, let tests):
            let found = Self.values(at: path, value).filter { types.contains($0.typeName) }
            return found.contains { item in Self.all(tests, item) == true }
        case .profile(let url):
            guard case .object(let object) = value else { return false }
            return Self.declares(object, url)
        case .any(let lists): return lists.contains { Self.all($0, value) == true }
        case .none(let lists): return !lists.contains { Self.all($0, value) == true }
        }
    }

    /// Whether a value passes all of several tests; nil if only other resources could tell.
    static func all(_ tests: [RuleTest], _ value: RuleValue) -> Bool? {
        var isKnown = true
        for test in tests {
            guard let passes = test.passes(value) else {
                isKnown = false
                continue
            }
            if !passes { return false }
        }
        return isKnown ? true : nil
    }

    private static func values(at path: [String], _ value: RuleValue) -> [RuleValue] {
        var values = [value]
        for name in path {
            values = values.flatMap { value -> [RuleValue] in
                if case .object(let object) = value { object.ruleValues(named: name) } else { [] }
            }
        }
        return values
    }

    private static func hasCode(_ value: RuleValue, _ codes: [Code]) -> Bool {
        switch value {
        case .literal(let literal, _): return codes.contains { $0.code == nil ? literal != nil : $0.code == literal }
        case .object(let object):
            let codings = object.layout.name == "Coding" ? [object] : object.children("coding")
            return codings.contains { coding in
                guard let code = coding.text("code") else { return false }
                return codes.contains { $0.system == coding.text("system") && ($0.code == nil || $0.code == code) }
            }
        }
    }

    /// Whether one of the values is a Reference that says by `type` or by its address that it leads to such a resource.
    private static func leads(_ values: [RuleValue], to types: [String]) -> Bool? {
        var isKnown = true
        for case .object(let object) in values where object.layout.name == "Reference" {
            let stated = [object.text("type"), object.text("reference").flatMap { ReferenceParts($0).type }].compactMap { $0 }
            if stated.contains(where: { types.contains($0) }) { return true }
            if stated.isEmpty { isKnown = false }
        }
        return isKnown ? false : nil
    }

    /// Whether `meta.profile` of a resource has a URL, with or without a version.
    static func declares(_ object: FHIRObject, _ url: String) -> Bool {
        object.child("meta")?.texts("profile").contains { $0.prefix { $0 != "|" } == url } ?? false
    }
}

extension RuleElement {
    /// Whether an item belongs to the slice.
    func selects(_ item: FHIRObject) -> Bool { selection(of: .object(item)) == true }

    /// Whether a value belongs to the slice; nil if only other resources could tell.
    func selection(of value: RuleValue) -> Bool? { tests.isEmpty ? false : RuleTest.all(tests, value) }
}

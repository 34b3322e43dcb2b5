/// Writes what a profile says about its objects as the text that the runtime's `_ProfileRule` reads.
struct RuleWriter {
    let index: ClassIndex
    let profiles: [String: ProfileDefinition]
    /// The names of the views, by the URLs of their profiles.
    let viewNames: [String: String]

    /// The rules of a profile, in one line of JSON.
    func text(of profile: ProfileDefinition) -> String {
        rule(profile.root.withoutTypeSlices(), classPath: profile.type, facts: nil, within: [profile.url]) ?? "{}"
    }

    /// The profiles with views that the resources in a resource follow, in the order of their URLs.
    func uses(of profile: ProfileDefinition) -> [String] {
        var found: Set<String> = []
        var pending = [profile.root]
        while let element = pending.popLast() {
            pending += element.children + element.slices
            if let url = contained(element) { found.insert(url) }
        }
        return found.sorted()
    }

    /// The profile with a view that resources in an element follow.
    private func contained(_ element: ProfileElement) -> String? {
        guard let url = element.profile, viewNames[url] != nil, let type = profiles[url]?.type, type == element.types[0].code,
            index.named(type)?.kind == .resource
        else { return nil }
        return url
    }

    /// The facts of the base that an element repeats.
    private struct Facts {
        var minimum: Int
        var maximum: Int?
        var types: Int
        var isChoice: Bool
    }

    /// An element's rules; nil if it says no more than its class.
    private func rule(_ element: ProfileElement, classPath: String?, facts: Facts?, within urls: Set<String>) -> String? {
        var parts: [String] = []
        let isSlice = element.sliceName != nil
        if element.minimum > (isSlice ? 0 : facts?.minimum ?? 0), facts != nil { parts.append("\"min\":\(element.minimum)") }
        if let maximum = element.maximum, facts != nil, isSlice || facts?.maximum != maximum { parts.append("\"max\":\(maximum)") }
        if let value = element.value { parts.append("\"\(value.isPattern ? "pattern" : "fixed")\":\(value.json)") }
        if let facts, facts.isChoice, !element.types.isEmpty, element.types.count < facts.types {
            parts.append("\"types\":[\(element.types.map { "\"\(SwiftLiteral.json($0.code))\"" }.joined(separator: ","))]")
        }
        if facts != nil, classPath == "Resource" {
            let types = element.types.map(\.code)
            if !types.isEmpty, !types.contains("Resource"), !types.contains("DomainResource") {
                parts.append("\"types\":[\(types.map { "\"\(SwiftLiteral.json($0))\"" }.joined(separator: ","))]")
            }
            if let url = contained(element) { parts.append("\"profile\":\"\(SwiftLiteral.json(url))\"") }
        }
        if facts != nil, Automatic.holds(element, classPath: classPath, index) { parts.append("\"automatic\":true") }
        var inner = element
        var urls = urls
        if let classPath, element.children.isEmpty, let url = element.profile, !urls.contains(url), let used = profiles[url],
            used.type == classPath
        {
            inner = used.root.withoutTypeSlices()
            urls.insert(url)
        }
        if let classPath {
            let children = inner.children.compactMap { child in self.child(child, of: classPath, within: urls) }
            if !children.isEmpty { parts.append("\"children\":[\(children.joined(separator: ","))]") }
        }
        let slices = SliceSelection(element, profiles: profiles)
        let texts = slices.slices.compactMap { slice in
            self.slice(slice, slices.tests[slice.key] ?? [], classPath: classPath, within: urls)
        }
        if !texts.isEmpty {
            if element.isClosed, slices.slices.count == element.slices.count { parts.append("\"closed\":true") }
            parts.append("\"slices\":[\(texts.joined(separator: ","))]")
        }
        if facts != nil, parts.isEmpty { return nil }
        return "{\((["\"name\":\"\(SwiftLiteral.json(element.name))\""] + parts).joined(separator: ","))}"
    }

    private func child(_ child: ProfileElement, of classPath: String, within urls: Set<String>) -> String? {
        guard let (base, member) = index.element(named: child.name, of: classPath) else { return nil }
        let found = member ?? (child.types.count == 1 ? base.members.first { $0.typeName == child.types.first?.code } : nil)
        let isPart = base.choice != nil && member != nil
        let facts = Facts(
            minimum: isPart ? 0 : base.definition.cardinality.minimum, maximum: base.definition.cardinality.maximum,
            types: base.members.count, isChoice: base.choice != nil && member == nil)
        return rule(child, classPath: found.flatMap { $0.accessor == .object ? $0.typeName : nil }, facts: facts, within: urls)
    }

    private func slice(_ slice: ProfileElement, _ tests: [SliceTest], classPath: String?, within urls: Set<String>) -> String? {
        let facts = Facts(minimum: 0, maximum: nil, types: 0, isChoice: false)
        guard var text = rule(slice, classPath: classPath, facts: facts, within: urls) ?? Optional("{\"name\":\"\(slice.name)\"}") else {
            return nil
        }
        text.removeLast()
        return text
            + ",\"slice\":\"\(SwiftLiteral.json(slice.sliceName ?? ""))\",\"tests\":\(Self.all(tests))}"
    }

    private static func text(_ test: SliceTest) -> String {
        switch test {
        case .pattern(let path, let json): "{\"path\":\"\(path)\",\"pattern\":\(json)}"
        case .types(let path, let types): "{\"path\":\"\(path)\",\"types\":\(list(types))}"
        case .codes(let path, let codes): "{\"path\":\"\(path)\",\"codes\":[\(codes.map(list).joined(separator: ","))]}"
        case .exists(let path, let flag): "{\"path\":\"\(path)\",\"exists\":\(flag)}"
        case .targets(let path, let types): "{\"path\":\"\(path)\",\"targets\":\(list(types))}"
        case .resource(let path, let types, let tests): "{\"path\":\"\(path)\",\"types\":\(list(types)),\"all\":\(all(tests))}"
        case .profile(let url): "{\"profile\":\"\(SwiftLiteral.json(url))\"}"
        case .any(let lists): "{\"any\":[\(lists.map(all).joined(separator: ","))]}"
        case .none(let lists): "{\"none\":[\(lists.map(all).joined(separator: ","))]}"
        }
    }

    private static func all(_ tests: [SliceTest]) -> String { "[\(tests.map(text).joined(separator: ","))]" }

    private static func list(_ texts: [String]) -> String {
        "[\(texts.map { "\"\(SwiftLiteral.json($0))\"" }.joined(separator: ","))]"
    }
}

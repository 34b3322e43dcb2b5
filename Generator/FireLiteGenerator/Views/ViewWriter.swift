/// Writes views as Swift code.
struct ViewWriter {
    let release: NamedRelease
    /// The package and its version.
    let guide: String
    /// The module with the classes; empty if it is the same.
    let models: String
    /// What the declarations of views begin with.
    private let access = "public"

    init(release: NamedRelease, guide: String, models: String) { (self.release, self.guide, self.models) = (release, guide, models) }

    /// The file of a profile's view.
    func file(_ plan: ViewPlan, rules: String, uses: [String: String], accessor: String?) -> String {
        var lines = [
            "// \(CommentText.line(guide)), FHIR \(release.release). \(OutputFolder.mark)", "// swift-format-ignore-file", "",
            "import FireLite", "import FireLiteCore",
        ]
        lines += ["import FireLiteProfiles"] + (models.isEmpty ? [] : ["import \(models)"]) + [""]
        lines += view(plan, rules: rules, uses: uses)
        if let accessor {
            let name = SwiftName.escaped(accessor)
            lines += [
                "", "extension \(plan.className) {", "    /// The resource as a `\(plan.name)`, whether or not it follows the profile.",
                "    \(access) var \(name): \(plan.name) { \(plan.name)(self) }", "}", "",
                "extension QueryElementPath where Object == \(plan.className) {",
                "    /// The paths of `\(plan.name)`: <\(plan.url)>",
                "    \(access) var \(name): ProfilePath<\(plan.name)> { ProfilePath(_path: self) }", "}",
            ]
        }
        lines += paths(plan)
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: - Views

    private func view(_ plan: ViewPlan, rules: String, uses: [String: String]) -> [String] {
        let isProfile = plan.ruleExpression.isEmpty
        var lines: [String] = []
        if isProfile {
            lines += ["/// \(CommentText.line(plan.title)), a view of `\(plan.className)`: <\(plan.url)>"]
        } else {
            lines += ["/// `\(plan.elementID)`, a view of `\(plan.className)`"]
        }
        if !plan.left.isEmpty { lines += ["///", "/// Slices without a property:"] }
        lines += plan.left.map { "/// * `\(CommentText.line($0.id))`: \(CommentText.line($0.reason))" }
        lines += [
            "\(access) struct \(plan.name): \(plan.isResource ? "ResourceProfileView" : "ProfileView") {", "    /// The object.",
            "    \(access) let object: \(plan.className)", "    /// A view of an object, whether or not it follows the profile.",
            "    \(access) init(_ object: \(plan.className)) { self.object = object }", "    /// The profile's rules; for generated code.",
        ]
        if isProfile {
            let marks = String(repeating: "#", count: Self.marks(for: rules))
            let used = uses.sorted { $0.key < $1.key }.map { "\"\(SwiftLiteral.string($0.key))\": { \($0.value)._rule }" }
            let table = used.isEmpty ? "" : ", [\(used.joined(separator: ", "))]"
            lines += [
                "    \(access) static let _rule = _ProfileRule(\"\(SwiftLiteral.string(plan.url))\", \(marks)\"\(rules)\"\(marks)\(table))"
            ]
        } else {
            lines += ["    \(access) static var _rule: _ProfileRule { \(plan.ruleExpression) }"]
        }
        lines += initializer(plan).map { $0.isEmpty ? "" : "    " + $0 }
        for member in plan.members where member.isDeclared { lines += property(member, of: plan).map { "    " + $0 } }
        for choice in plan.choices { lines += [""] + self.choice(choice, plan).map { "    " + $0 } }
        for nested in plan.nested { lines += [""] + view(nested, rules: "", uses: [:]).map { $0.isEmpty ? "" : "    " + $0 } }
        return lines + ["}"]
    }

    /// As many number signs as a raw literal of the text needs.
    private static func marks(for text: String) -> Int {
        var count = 1
        while text.contains("\"" + String(repeating: "#", count: count)) || text.contains("\\" + String(repeating: "#", count: count)) {
            count += 1
        }
        return count
    }

    private func initializer(_ plan: ViewPlan) -> [String] {
        let parameters = plan.parameters
        let list = parameters.map { "\(SwiftName.label($0.name)): \($0.swiftType)" }.joined(separator: ", ")
        var lines = ["", "/// Creates an object with what the profile requires, and sets what it fixes."]
        lines += ["\(access) init(\(list)) {", "    self.init(\(plan.className)())"]
        lines += parameters.map { "    \(set($0, to: SwiftName.escaped($0.name)))" }
        return lines + ["    _complete()", "}", ""]
    }

    private func property(_ member: ViewMember, of plan: ViewPlan) -> [String] {
        let name = SwiftName.escaped(member.name)
        var lines = ["/// `\(member.elementID)` \(member.cardinality)"]
        switch member.kind {
        case .required:
            let key = member.elementID.dropFirst(plan.elementID.count + 1)
            let label = "\(member.name == "value" ? "" : SwiftName.label(member.name) + " ")value: \(member.type)) {"
            lines += [
                "\(access) var \(name): \(member.type) { get throws { try _required(\(get(member)), \"\(SwiftLiteral.string(String(key)))\") } }",
                "/// Sets `\(member.elementID)`.",
                "\(access) func set(\(label) \(set(member, to: "value")) }",
            ]
        case .optional, .list:
            lines += [
                "\(access) var \(name): \(member.swiftType) { get { \(get(member)) } nonmutating set { \(set(member, to: "newValue")) } }"
            ]
        }
        return lines
    }

    // MARK: - Values

    // Calls of the runtime instead of closures and key paths, which would cost the compiler much more.

    /// The expression that reads a member: an optional, or a list.
    private func get(_ member: ViewMember) -> String {
        let source = "object.\(member.property)"
        let isList = member.kind == .list
        func viewed(_ source: String) -> String { member.isView ? "\(isList ? "_views" : "_view")(\(source))" : source }
        switch member.place {
        case .property: return viewed(source)
        case .firstItem: return viewed(source + ".first")
        case .choice: return "\(member.type)(object)"
        case .resource(let name): return member.isView ? "_view(\(source) as? \(name))" : "\(source) as? \(name)"
        case .slice(let key):
            let function = member.isView ? (isList ? "_sliceViews" : "_sliceView") : isList ? "_items" : "_item"
            return "\(function)(\(source), \"\(SwiftLiteral.string(key))\")"
        case .extensionValue(let key, let property):
            let key = SwiftLiteral.string(key)
            return isList ? "_items(\(source), \"\(key)\").compactMap { $0.\(property) }" : "_item(\(source), \"\(key)\")?.\(property)"
        }
    }

    /// The statement that sets a member.
    private func set(_ member: ViewMember, to value: String) -> String {
        let target = "object.\(member.property)"
        let isOptional = member.kind == .optional
        let isList = member.kind == .list
        let object = member.isView ? "\(value)\(isOptional ? "?" : "").object" : value
        switch member.place {
        case .property, .resource: return "\(target) = \(isList && member.isView ? "_objects(\(value))" : object)"
        case .firstItem: return "\(target) = _settingFirst(\(target), \(object))"
        case .choice:
            return isOptional ? "if let \(value) { \(value).set(object) } else { \(target) = nil }" : "\(value).set(object)"
        case .slice(let key):
            let function = member.isView ? (isList ? "_replacingViews" : "_replacingView") : isList ? "_replacing" : "_replacingItem"
            return "\(target) = \(function)(\(target), \"\(SwiftLiteral.string(key))\", \(value))"
        case .extensionValue(let key, let property):
            let function = isList ? "_assigning" : "_assigningValue"
            return "\(target) = \(function)(\(target), \"\(SwiftLiteral.string(key))\", \(value)) { $0.\(property) = $1 }"
        }
    }

    private func choice(_ choice: ViewChoice, _ plan: ViewPlan) -> [String] {
        let cases = choice.cases.map { ($0, SwiftName.escaped($0.name)) }
        var lines = ["/// A value of `\(choice.elementID)`.", "\(access) enum \(choice.name): Equatable {"]
        for (item, name) in cases { lines += ["    /// A value of type `\(item.type)`.", "    case \(name)(\(item.type))"] }
        lines += [
            "    /// The value that an object has, if it is of one of these types.", "    \(access) init?(_ object: \(plan.className)) {",
        ]
        for (index, (item, name)) in cases.enumerated() {
            lines += [
                "        \(index == 0 ? "if" : "} else if") let value = object.\(item.property) {", "            self = .\(name)(value)",
            ]
        }
        lines += ["        } else {", "            return nil", "        }", "    }", "    /// Sets the value in an object."]
        lines += ["    \(access) func set(_ object: \(plan.className)) {", "        switch self {"]
        lines += cases.map { "        case .\($0.1)(let value): object.\($0.0.property) = value" }
        return lines + ["        }", "    }", "}"]
    }

    // MARK: - Paths

    private func paths(_ plan: ViewPlan) -> [String] {
        let members = plan.members.filter(\.hasPath)
        var lines: [String] = []
        if !members.isEmpty {
            lines += ["", "extension ProfilePath where View == \(plan.qualifiedName) {"]
            for member in members {
                let (type, expression) = path(member)
                lines += [
                    "    /// `\(member.elementID)`", "    \(access) var \(SwiftName.escaped(member.name)): \(type) { \(expression) }",
                ]
            }
            lines += ["}"]
        }
        return lines + plan.nested.flatMap(paths)
    }

    private func path(_ member: ViewMember) -> (type: String, expression: String) {
        let element = SwiftLiteral.string(member.elementName)
        let type = "\(member.isView ? "ProfilePath" : member.isPrimitive ? "ProfileValuePath" : "ProfileElementPath")<\(member.type)>"
        switch member.place {
        case .resource: return (type, "\(member.isView ? "_resource" : "_resourceObject")(\"\(element)\")")
        case .slice(let key): return (type, "\(member.isView ? "_slice" : "_items")(\"\(SwiftLiteral.string(key))\")")
        case .extensionValue(let key, _):
            let function = member.isPrimitive ? "_extensionValue" : "_extensionObject"
            return (type, "\(function)(\"\(SwiftLiteral.string(key))\", \"\(element)\")")
        case .property, .firstItem, .choice:
            return (type, "\(member.isView ? "_view" : member.isPrimitive ? "_value" : "_object")(\"\(element)\")")
        }
    }
}

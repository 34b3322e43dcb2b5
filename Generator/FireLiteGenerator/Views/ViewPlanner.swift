/// Plans the views of a guide: which there are, what they are called, and what they show.
struct ViewPlanner {
    let guide: GuideSettings
    let index: ClassIndex
    /// Every profile that is known, by URL.
    let known: [String: ProfileDefinition]
    /// The names of the views of the guide, by URL.
    private(set) var viewNames: [String: String] = [:]
    /// Slices without an accessor, for the report.
    private(set) var notes: [String] = []
    private var usedNames: Set<String> = []
    /// Whether a profile of a datatype or an extension shows more than its class, by URL.
    private var isPlainProfile: [String: Bool] = [:]

    /// - Parameter taken: names of views of other guides.
    init(_ guide: GuideSettings, _ profiles: [ProfileDefinition], index: ClassIndex, taken: Set<String>) throws {
        self.guide = guide
        self.index = index
        known = Dictionary(profiles.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        try name(try selected(profiles), taken)
    }

    // MARK: - Selection and names

    /// The profiles with a view; the extensions and datatypes that they use come with them.
    private func selected(_ profiles: [ProfileDefinition]) throws -> [ProfileDefinition] {
        for wanted in guide.profiles + guide.skipped.sorted() where !profiles.contains(where: { $0.id == wanted || $0.url == wanted }) {
            throw GeneratorError("\(guide.package) has no profile `\(wanted)`", at: guide.location)
        }
        let available = profiles.filter { index.named($0.type) != nil && !guide.skipped.contains($0.id) && !guide.skipped.contains($0.url) }
        guard !guide.profiles.isEmpty else { return available }
        for wanted in guide.profiles where !available.contains(where: { $0.id == wanted || $0.url == wanted }) {
            throw GeneratorError(
                "`\(wanted)` is a profile of a type that the module does not have: add it to `resources`", at: guide.location)
        }
        var pending = available.filter { guide.profiles.contains($0.id) || guide.profiles.contains($0.url) }
        var found: [String: ProfileDefinition] = [:]
        while let next = pending.popLast() {
            guard found.updateValue(next, forKey: next.url) == nil else { continue }
            for url in Self.profiles(in: next.root) {
                if let used = available.first(where: { $0.url == url }), found[url] == nil { pending.append(used) }
            }
        }
        return available.filter { found[$0.url] != nil }
    }

    /// The URLs of the profiles that types of elements name, without those of references.
    private static func profiles(in element: ProfileElement) -> [String] {
        element.types.flatMap(\.profiles).map { String($0.prefix { $0 != "|" }) } + (element.children + element.slices).flatMap(profiles)
    }

    private mutating func name(_ profiles: [ProfileDefinition], _ taken: Set<String>) throws {
        var scope = NameScope(
            reserved: index.names.union(taken).union(ReservedWords.runtimeTypes).union(ReservedWords.commonTypes).union(Self.runtimeNames),
            isCaseSensitive: false)
        for profile in profiles {
            guard let given = guide.names[profile.id] ?? guide.names[profile.url] else { continue }
            let name = scope.take(given, suffix: "_")
            guard name == given else {
                throw GeneratorError(
                    "the name `\(given)` of \(profile.id) is already that of another type: choose another", at: guide.location)
            }
            viewNames[profile.url] = given
        }
        for profile in profiles where viewNames[profile.url] == nil {
            viewNames[profile.url] = scope.take(self.name(of: profile), suffix: "Profile")
        }
        for key in guide.names.keys.sorted() where !key.contains("#") {
            guard profiles.contains(where: { $0.id == key || $0.url == key }) else {
                throw GeneratorError("`names` has `\(key)`, which is no profile with a view", at: guide.location)
            }
        }
    }

    private func name(of profile: ProfileDefinition) -> String {
        var name = SwiftName.typeName(profile.name)
        for ending in guide.endings.sorted(by: { $0.count > $1.count }) where name.hasSuffix(ending) && name != ending {
            name = String(name.dropLast(ending.count))
            break
        }
        if !guide.prefix.isEmpty, name.lowercased().hasPrefix(guide.prefix.lowercased()) {
            name = String(name.dropFirst(guide.prefix.count))
        }
        return guide.prefix + name
    }

    /// Public names of the runtime's that views use.
    static let runtimeNames: Set<String> = [
        "ProfileView", "ResourceProfileView", "ProfilePath", "ProfileElementPath", "ProfileValuePath", "ProfileError", "ElementPath",
        "QueryElementPath", "FHIRQuery", "FHIRStore",
    ]

    /// Members that every view has.
    static let viewMembers: Set<String> = [
        "object", "issues", "isValid", "profileURL", "isDeclared", "declareProfile", "set", "init", "self", "Type", "Object", "Protocol",
        "scope", "any", "fhirPath", "isNil",
    ]

    // MARK: - Plans

    /// The plan of each profile with a view, in the order of their URLs.
    mutating func plans() throws -> [(profile: ProfileDefinition, plan: ViewPlan)] {
        var plans: [(ProfileDefinition, ViewPlan)] = []
        for url in viewNames.keys.sorted() {
            guard let profile = known[url], let name = viewNames[url], let named = index.named(profile.type) else { continue }
            if named.kind != .resource, isPlain(url) { continue }
            var plan = ViewPlan(
                name: name, qualifiedName: name, className: named.instanceName, classPath: named.path, isResource: named.kind == .resource,
                elementID: profile.root.id, title: profile.title, url: url, ruleExpression: "")
            try fill(&plan, profile.root.withoutTypeSlices(), profile)
            plans.append((profile, plan))
        }
        for key in guide.names.keys.sorted() where key.contains("#") && !usedNames.contains(key) {
            throw GeneratorError("`names` has `\(key)`, which is no element with a name of its own in the views", at: guide.location)
        }
        return plans
    }

    /// Whether a profile of a datatype or an extension needs no view: its values are what they are without it.
    private mutating func isPlain(_ url: String) -> Bool {
        if let known = isPlainProfile[url] { return known }
        guard let profile = known[url] else { return true }
        // A profile that uses itself has a view.
        isPlainProfile[url] = false
        let isPlain =
            profile.type == "Extension" ? simpleValue(of: profile.root) != nil : !isNarrowed(profile.root.withoutTypeSlices(), profile.type)
        isPlainProfile[url] = isPlain
        return isPlain
    }

    /// Whether a view of an element would show or fix more than its class.
    private func isNarrowed(_ element: ProfileElement, _ classPath: String) -> Bool {
        element.children.contains { child in
            guard let (base, member) = index.element(named: child.name, of: classPath) else { return false }
            if child.value != nil || child.isRequired && base.definition.cardinality.minimum == 0 { return true }
            if child.maximum == 1, base.definition.cardinality.isList { return true }
            if child.slices.contains(where: { $0.maximum != 0 }) { return true }
            if resource(of: child, base) != nil { return true }
            if base.choice != nil, member == nil, (1..<base.members.count).contains(child.types.count) { return true }
            return typePath(of: child, base, member).map { isNarrowed(child, $0) } ?? false
        }
    }

    /// FHIR's name of the class of an element's values; nil for primitives and for choices of several types.
    private func typePath(of element: ProfileElement, _ base: NamedElement, _ member: NamedMember?) -> String? {
        let found = member ?? base.members.first { $0.typeName == element.types.first?.code && element.types.count == 1 }
        return found.flatMap { $0.accessor == .object ? $0.typeName : nil }
    }

    /// The class of the resources that a profile allows in an element with a resource of any type; nil if several, or if it is another element.
    private func resource(of element: ProfileElement, _ base: NamedElement) -> NamedClass? {
        guard base.choice == nil, base.members.first?.typeName == "Resource", !base.definition.cardinality.isList, element.maximum != 0,
            element.types.count == 1, let named = index.named(element.types[0].code), named.kind == .resource, !named.isAbstract
        else { return nil }
        return named
    }

    private mutating func fill(_ plan: inout ViewPlan, _ element: ProfileElement, _ profile: ProfileDefinition) throws {
        var scope = NameScope(reserved: Self.viewMembers)
        var types = NameScope(
            reserved: index.names.union(ReservedWords.runtimeTypes).union(ReservedWords.commonTypes).union(Self.runtimeNames)
                .union(viewNames.values), isCaseSensitive: false)
        for child in element.children where child.maximum != 0 {
            guard let (base, member) = index.element(named: child.name, of: plan.classPath), !base.isInherited else { continue }
            if plan.classPath == "Extension", child.name == "url" { continue }
            try addElement(child, of: base, as: member, to: &plan, of: profile, scope: &scope, types: &types)
        }
        for child in element.children {
            guard let (base, member) = index.element(named: child.name, of: plan.classPath), base.choice == nil, let member,
                base.definition.cardinality.isList, member.accessor == .object
            else { continue }
            let tested = SliceSelection(child, profiles: known)
            for (slice, reason) in tested.left {
                notes.append("\(profile.id): \(slice.id) has no property: \(reason)")
                plan.left.append((slice.id, reason))
            }
            for slice in tested.slices where slice.maximum != 0 {
                try addSlice(slice, of: child, as: member, to: &plan, of: profile, scope: &scope, types: &types)
            }
        }
    }

    // MARK: - Elements

    private mutating func addElement(
        _ element: ProfileElement, of base: NamedElement, as member: NamedMember?, to plan: inout ViewPlan, of profile: ProfileDefinition,
        scope: inout NameScope, types: inout NameScope
    ) throws {
        let isList = base.definition.cardinality.isList
        var single = member
        if base.choice != nil, single == nil {
            let allowed = base.members.filter { found in element.types.contains { $0.code == found.typeName } }
            if allowed.count > 1, allowed.count < base.members.count || element.isRequired {
                return try addChoice(element, of: base, allowed: allowed, to: &plan, of: profile, scope: &scope, types: &types)
            }
            guard allowed.count == 1 else { return }
            single = allowed[0]
        }
        guard let single else { return }
        if let named = resource(of: element, base) {
            return try addResource(element, of: base, as: named, to: &plan, of: profile, scope: &scope)
        }
        let isFirst = isList && element.maximum == 1
        let kind: ViewMember.Kind = isList && !isFirst ? .list : element.isRequired ? .required : .optional
        let ownName = base.choice?.name ?? single.name
        let isTyped = base.choice != nil && member == nil
        var view: String?
        if single.accessor == .object {
            if !element.children.isEmpty, isNarrowed(element, single.typeName) {
                let name = types.take(SwiftName.capitalized(ownNameOfType(element, base, member)) + "View", suffix: "_")
                view = try nest(
                    name, element, className: single.swiftType, classPath: single.typeName, key: element.key, in: &plan, of: profile)
            } else if element.children.isEmpty, let url = element.types.first?.profiles.first.map({ String($0.prefix { $0 != "|" }) }),
                let name = viewNames[url], known[url]?.type == single.typeName, !isPlain(url)
            {
                view = name
            }
        }
        let isSliced = SliceSelection(element, profiles: known).slices.map { $0.isRequired ? $0.minimum : 0 }.reduce(0, +)
        let isAutomatic = Automatic.holds(element, classPath: single.accessor == .object ? single.typeName : nil, index)
        let isParameter = element.isRequired && !isAutomatic && element.minimum > isSliced
        // Without anything of its own, the class's property shows through.
        let isDeclared = view != nil || kind == .required || isFirst || isTyped
        guard isDeclared || isParameter else { return }
        let given = try givenName(profile, element)
        let taken = scope.take(given ?? (isTyped ? ownName : single.name), suffix: "_")
        plan.members.append(
            ViewMember(
                name: isDeclared ? taken : single.name, elementID: element.id, cardinality: Self.cardinality(element), kind: kind,
                type: view ?? single.swiftType, isView: view != nil, property: single.name, place: isFirst ? .firstItem : .property,
                isParameter: isParameter, isDeclared: isDeclared, hasPath: view != nil || (isTyped && taken != single.name),
                isPrimitive: view == nil && single.accessor != .object, elementName: Self.jsonName(base, single)))
    }

    private mutating func addResource(
        _ element: ProfileElement, of base: NamedElement, as named: NamedClass, to plan: inout ViewPlan, of profile: ProfileDefinition,
        scope: inout NameScope
    ) throws {
        let view = element.profile.flatMap { known[$0]?.type == named.path ? viewNames[$0] : nil }
        let given = try givenName(profile, element)
        plan.members.append(
            ViewMember(
                name: scope.take(given ?? base.members[0].name, suffix: "_"), elementID: element.id, cardinality: Self.cardinality(element),
                kind: element.isRequired ? .required : .optional, type: view ?? named.instanceName, isView: view != nil,
                property: base.members[0].name, place: .resource(className: named.instanceName), isParameter: element.isRequired,
                hasPath: true, elementName: base.definition.name))
    }

    private func ownNameOfType(_ element: ProfileElement, _ base: NamedElement, _ member: NamedMember?) -> String {
        base.choice != nil && member != nil ? member?.name ?? "" : base.choice?.name ?? base.members.first?.name ?? element.name
    }

    private mutating func addChoice(
        _ element: ProfileElement, of base: NamedElement, allowed: [NamedMember], to plan: inout ViewPlan, of profile: ProfileDefinition,
        scope: inout NameScope, types: inout NameScope
    ) throws {
        guard let choice = base.choice else { return }
        let given = try givenName(profile, element)
        let name = scope.take(given ?? choice.name, suffix: "_")
        let isNarrower = allowed.count < base.members.count
        var type = choice.enumName
        if isNarrower {
            type = types.take(SwiftName.capitalized(choice.name) + "Choice", suffix: "_")
            var cases = NameScope(reserved: ReservedWords.cases)
            plan.choices.append(
                ViewChoice(
                    name: type, property: choice.name, elementID: element.id,
                    cases: allowed.map {
                        ViewChoice.Case(
                            name: cases.take(SwiftName.memberName($0.typeName), suffix: "_"), type: $0.swiftType, property: $0.name)
                    }))
            type = plan.qualifiedName + "." + type
        }
        plan.members.append(
            ViewMember(
                name: name, elementID: element.id, cardinality: Self.cardinality(element), kind: element.isRequired ? .required : .optional,
                type: type, isView: false, property: choice.name, place: isNarrower ? .choice : .property,
                isParameter: element.isRequired))
    }

    // MARK: - Slices

    private mutating func addSlice(
        _ slice: ProfileElement, of sliced: ProfileElement, as member: NamedMember, to plan: inout ViewPlan, of profile: ProfileDefinition,
        scope: inout NameScope, types: inout NameScope
    ) throws {
        let plain = SwiftName.memberName(code: slice.sliceName ?? "")
        // The class has a property of that name, or another slice has it: the element's name comes first.
        let isTaken = index.element(named: plain, of: plan.classPath) != nil || plan.members.contains { $0.name == plain }
        let given = try givenName(profile, slice)
        let name = scope.take(given ?? (isTaken ? member.name + SwiftName.capitalized(plain) : plain), suffix: "_")
        let kind: ViewMember.Kind = slice.maximum != 1 ? .list : slice.isRequired ? .required : .optional
        var result = ViewMember(
            name: name, elementID: slice.id, cardinality: Self.cardinality(slice), kind: kind, type: member.swiftType, isView: false,
            property: member.name, place: .slice(key: slice.key), hasPath: true)
        let isAutomatic = Automatic.holds(slice, classPath: member.typeName, index)
        result.isParameter = slice.isRequired && !isAutomatic
        let url = SliceTest.url(of: slice)
        let isExtension = member.typeName == "Extension"
        if isExtension, let value = simpleValue(of: slice.children.isEmpty ? url.flatMap { known[$0]?.root } : slice) {
            result.type = value.swiftType
            result.place = .extensionValue(key: slice.key, member: value.name)
            result.isPrimitive = value.accessor != .object
            result.elementName = "value" + SwiftName.capitalized(value.typeName)
        } else if isExtension, slice.children.isEmpty, let url, let view = viewNames[url], !isPlain(url) {
            (result.type, result.isView) = (view, true)
        } else if !slice.children.isEmpty, isNarrowed(slice, member.typeName) {
            let typeName = types.take(SwiftName.capitalized(name), suffix: "Slice")
            result.type = try nest(
                typeName, slice, className: member.swiftType, classPath: member.typeName, key: slice.key, in: &plan, of: profile)
            result.isView = true
        }
        plan.members.append(result)
    }

    /// The property of an extension that has its value, if the extension has nothing else and its value one type.
    private func simpleValue(of element: ProfileElement?) -> NamedMember? {
        guard let element = element?.withoutTypeSlices(), let value = element.child("value[x]"), value.maximum != 0, value.types.count == 1
        else { return nil }
        let nested = SliceSelection(element.child("extension") ?? value, profiles: known).slices
        guard element.child("extension")?.maximum == 0 || nested.isEmpty, let type = value.types.first,
            let base = index.element(named: "value[x]", of: "Extension")?.element
        else { return nil }
        return base.members.first { $0.typeName == type.code }
    }

    private mutating func nest(
        _ name: String, _ element: ProfileElement, className: String, classPath: String, key: String, in plan: inout ViewPlan,
        of profile: ProfileDefinition
    ) throws -> String {
        var inner = ViewPlan(
            name: name, qualifiedName: "\(plan.qualifiedName).\(name)", className: className, classPath: classPath, isResource: false,
            elementID: element.id, title: "", url: plan.url,
            ruleExpression: "\(plan.qualifiedName)._rule._at(\"\(SwiftLiteral.string(key))\")")
        try fill(&inner, element, profile)
        plan.nested.append(inner)
        return inner.qualifiedName
    }

    // MARK: - Small parts

    private mutating func givenName(_ profile: ProfileDefinition, _ element: ProfileElement) throws -> String? {
        let key = "\(profile.id)#\(element.id)"
        guard let name = guide.names[key] else { return nil }
        usedNames.insert(key)
        return name
    }

    /// The name in JSON of an element, or of one type of a choice element.
    private static func jsonName(_ base: NamedElement, _ member: NamedMember) -> String {
        base.choice == nil ? base.definition.name : base.definition.name + SwiftName.capitalized(member.typeName)
    }

    private static func cardinality(_ element: ProfileElement) -> String {
        "\(element.minimum)..\(element.maximum.map(String.init) ?? "*")"
    }
}

/// Whether creation can make an element by itself, as the profile says all that it needs.
enum Automatic {
    static func holds(_ element: ProfileElement, classPath: String?, _ index: ClassIndex) -> Bool {
        guard element.isRequired, element.types.count <= 1 else { return false }
        guard let classPath, let named = index.named(classPath) else { return element.value != nil }
        if named.kind == .backbone || named.kind == .resource || classPath == "Extension" { return false }
        let required = element.children.filter { $0.isRequired }
        let isComplete = required.allSatisfy { child in
            guard let (base, member) = index.element(named: child.name, of: classPath) else { return false }
            let found = member ?? base.members.first { $0.typeName == child.types.first?.code }
            return holds(child, classPath: found.flatMap { $0.accessor == .object ? $0.typeName : nil }, index)
        }
        return isComplete && (element.value != nil || !required.isEmpty)
    }
}

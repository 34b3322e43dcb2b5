import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// Sorts the values of an element into its slices (FHIR, Profiling Resources, Slicing), and checks each slice.
struct SliceCheck {
    private let walk: ProfileWalk
    private let resource: FHIRResource?

    init(_ walk: ProfileWalk, _ resource: FHIRResource?) { (self.walk, self.resource) = (walk, resource) }

    private var run: ValidationRun { walk.run }

    func check(_ values: [ElementValue], _ node: StructureNode) {
        if values.isEmpty { return checkAbsence(node) }
        let slicing = node.rule.slicing ?? ElementRule.Slicing()
        // The slice of each value; nil for none.
        var places = [Int?](repeating: nil, count: values.count)
        var last = -1
        var hasUnmatched = false
        for (position, value) in values.enumerated() {
            guard run.mayContinue() else { return }
            let slice = run.at(value) { place(of: value, position, node, slicing) }
            guard let slice else {
                run.at(value) { checkUnmatched(node, slicing) }
                hasUnmatched = true
                continue
            }
            if hasUnmatched, slicing.rules == "openAtEnd" {
                run.at(value) { walk.add(.sliceOrder, "values outside of the slices must come last", ProfileWalk.facts(of: node)) }
            }
            if slicing.isOrdered, slice < last {
                run.at(value) {
                    walk.add(
                        .sliceOrder, "the slice \(node.slices[slice].rule.sliceName ?? "") must come before the values before it",
                        ProfileWalk.facts(of: node))
                }
            }
            last = max(last, slice)
            places[position] = slice
        }
        for (index, slice) in node.slices.enumerated() {
            let facts = ProfileWalk.facts(of: slice)
            var number = 0
            for place in places where place == index { number += 1 }
            walk.count(number, facts, name: Self.name(of: slice, node))
            for (value, place) in zip(values, places) where place == index {
                run.at(value) {
                    guard walk.checkType(of: value, facts) else { return }
                    walk.checkContent(of: value, slice, resource)
                    walk.checkProfiles(of: value, facts, slice)
                }
            }
            if !slice.slices.isEmpty { check(zip(values, places).filter { $0.1 == index }.map(\.0), slice) }
        }
    }

    private func checkAbsence(_ node: StructureNode) {
        for slice in node.slices {
            walk.count(0, ProfileWalk.facts(of: slice), name: Self.name(of: slice, node))
            if !slice.slices.isEmpty { checkAbsence(slice) }
        }
    }

    private static func name(of slice: StructureNode, _ node: StructureNode) -> String {
        "\(node.rule.name):\(slice.rule.sliceName ?? "")"
    }

    private func checkUnmatched(_ node: StructureNode, _ slicing: ElementRule.Slicing) {
        if slicing.rules == "closed" {
            let names = node.slices.compactMap(\.rule.sliceName).joined(separator: ", ")
            walk.add(
                .closedSlicing, "the value fits none of the slices \(names), and others are not allowed",
                ProfileWalk.facts(of: node))
        }
    }

    /// The first slice that a value is in; nil if it is in none. What could not be decided is reported if it matters.
    private func place(of value: ElementValue, _ position: Int, _ node: StructureNode, _ slicing: ElementRule.Slicing) -> Int? {
        var doubts: Set<ValidationIssue.Undecided> = []
        for (index, slice) in node.slices.enumerated() where slice.rule.sliceName != "@default" {
            guard run.mayContinue() else { return nil }
            let (isThere, found) = run.collectingDoubts { isIn(value, position: position, slice, index: index, slicing) }
            if isThere {
                // Without discriminators the slice is checked again, with its doubts.
                if !slicing.discriminators.isEmpty { report(found, node) }
                return index
            }
            doubts.formUnion(found)
        }
        report(doubts, node)
        return node.slices.firstIndex { $0.rule.sliceName == "@default" }
    }

    private func report(_ doubts: Set<ValidationIssue.Undecided>, _ node: StructureNode) {
        guard let kind = ValidationIssue.Undecided.gravest(of: doubts) else { return }
        let names = node.slices.compactMap(\.rule.sliceName).joined(separator: ", ")
        walk.add(
            .discriminator, "which of the slices \(names) the value is in could not be decided", ProfileWalk.facts(of: node),
            severity: kind == .outside ? .information : .warning, undecided: kind)
    }

    private func isIn(
        _ value: ElementValue, position: Int, _ slice: StructureNode, index: Int, _ slicing: ElementRule.Slicing
    ) -> Bool {
        guard !slicing.discriminators.isEmpty else {
            // Without discriminators a value is in the slice that it conforms to.
            return run.holds {
                let facts = ProfileWalk.facts(of: slice)
                guard walk.checkType(of: value, facts) else { return }
                walk.checkContent(of: value, slice, resource)
                walk.checkProfiles(of: value, facts, slice)
            }
        }
        return slicing.discriminators.allSatisfy { discriminator in
            if discriminator.type == "position" { return position == index }
            return Discrimination(walk, resource).fits(value, discriminator, slice)
        }
    }
}

/// One discriminator of a slicing: finds what the profile says at its path, and compares a value with it.
struct Discrimination {
    private let walk: ProfileWalk
    private let resource: FHIRResource?

    init(_ walk: ProfileWalk, _ resource: FHIRResource?) { (self.walk, self.resource) = (walk, resource) }

    private var run: ValidationRun { walk.run }

    /// An element of a profile, and the profile that it is in.
    struct Target {
        let node: StructureNode
        let structure: Structure
    }

    /// What the path of a discriminator names in a slice, as it is kept.
    struct Known {
        /// Keeps the slice, whose identity is the key, in memory.
        let slice: StructureNode
        let targets: [Target]
    }

    struct Key: Hashable {
        let slice: ObjectIdentifier
        let path: String
    }

    func fits(_ value: ElementValue, _ discriminator: ElementRule.Discriminator, _ slice: StructureNode) -> Bool {
        if discriminator.path == "url", let url = value.object?.text("url") {
            // The definition of an extension need not be at hand to tell it from others.
            let profiles = (slice.rule.types ?? []).flatMap(\.profiles)
            if !profiles.isEmpty { return profiles.contains { Canonical($0).url == url } }
        }
        let targets = run.knowledge.discriminated(by: discriminator.path, in: slice) {
            self.targets(discriminator.path, from: Target(node: slice, structure: walk.structure))
        }
        guard let values = values(value, discriminator.path) else {
            run.doubt(.rule)
            return false
        }
        if values.isEmpty {
            // A target that is not at hand.
            if discriminator.path.contains("resolve()") { run.doubt(.outside) }
        } else if targets.isEmpty, discriminator.type != "exists" {
            run.doubt(hasUnknownProfile(slice) ? .profile : .rule)
        }
        switch discriminator.type {
        case "exists": return existence(values, targets)
        case "type": return types(values, targets)
        case "profile": return profiles(values, targets)
        default: return content(values, targets)
        }
    }

    private func hasUnknownProfile(_ slice: StructureNode) -> Bool {
        (slice.rule.types ?? []).flatMap { $0.profiles + $0.targets }.contains { (try? run.knowledge.structure(Canonical($0))) == nil }
    }

    // MARK: - Kinds

    private func existence(_ values: [ElementValue], _ targets: [Target]) -> Bool {
        for target in targets {
            if target.node.rule.max == "0" { return values.isEmpty }
            if (target.node.rule.min ?? 0) > 0 { return !values.isEmpty }
        }
        return true
    }

    private func types(_ values: [ElementValue], _ targets: [Target]) -> Bool {
        guard !values.isEmpty else { return false }
        let codes = targets.flatMap { $0.node.rule.types ?? [] }
        // The target of `resolve()` is known by its profiles.
        let names = codes.flatMap { type in
            type.code == "Reference" && !type.targets.isEmpty ? targetTypes(type) + ["Reference"] : [type.code]
        }
        return values.allSatisfy { value in
            if names.isEmpty { return targets.contains { $0.structure.type == value.type } }
            return names.contains { walk.fits(value, $0) && $0 != "Element" }
        }
    }

    private func targetTypes(_ type: ElementRule.TypeRule) -> [String] {
        type.targets.compactMap { url in
            guard let structure = try? run.knowledge.structure(Canonical(url)) else {
                run.doubt(.profile)
                return nil
            }
            return structure.type
        }
    }

    private func profiles(_ values: [ElementValue], _ targets: [Target]) -> Bool {
        let types = targets.flatMap { $0.node.rule.types ?? [] }
        let profiles = types.flatMap { $0.profiles + $0.targets }
        guard !values.isEmpty else { return false }
        return values.allSatisfy { value in
            guard let object = value.object else { return false }
            if profiles.isEmpty { return targets.contains { run.conforms(object, to: $0.structure.url) == true } }
            return profiles.contains { run.conforms(object, to: $0) == true }
        }
    }

    private func content(_ values: [ElementValue], _ targets: [Target]) -> Bool {
        guard !targets.isEmpty else { return false }
        return targets.contains { target in
            if values.isEmpty {
                let rule = target.node.rule
                // A slice that says nothing here leaves the element open.
                let isFree = rule.fixed == nil && rule.pattern == nil && rule.binding?.strength != "required" && !hasFixedBelow(target.node)
                return rule.max == "0" || isFree && (rule.min ?? 0) == 0
            }
            return values.contains { has($0, target) }
        }
    }

    /// Whether a value has what an element fixes, by itself or further down.
    private func has(_ value: ElementValue, _ target: Target) -> Bool {
        let facts = ProfileWalk.facts(of: target.node)
        if let fixed = facts.fixed { return value.matches(fixed, isExact: true) }
        if let pattern = facts.pattern { return value.matches(pattern, isExact: false) }
        if facts.strength == "required", !hasFixedBelow(target.node) {
            let membership = facts.valueSet.map { BindingCheck.membership(of: value, in: $0, run) }
            if membership == .unknown { run.doubt(.code) }
            return membership == .member
        }
        let walk = ProfileWalk(run, target.structure)
        return run.holds {
            walk.checkContent(of: value, target.node, resource)
            walk.checkProfiles(of: value, facts, target.node)
        }
    }

    private func hasFixedBelow(_ node: StructureNode) -> Bool {
        node.children.contains { child in
            child.rule.fixed != nil || child.rule.pattern != nil || hasFixedBelow(child) || child.slices.contains { hasFixedBelow($0) }
        }
    }

    // MARK: - Paths

    /// Whether a path of plain names leads to nothing that the profile and the types know.
    func isUnknown(_ path: String, at node: StructureNode) -> Bool {
        let steps = Self.steps(path)
        guard steps.allSatisfy({ step in step != "$this" && step.allSatisfy { $0.isLetter || $0.isNumber } }), let types = node.rule.types,
            types.allSatisfy({ type in
                run.release.layout(named: type.code) != nil && type.code != "Resource"
                    && type.profiles.allSatisfy { (try? run.knowledge.structure(Canonical($0))) != nil }
            })
        else { return false }
        return targets(path, from: Target(node: node, structure: walk.structure)).isEmpty
    }

    private func values(_ value: ElementValue, _ path: String) -> [ElementValue]? {
        if path == "$this" { return [value] }
        if let items = members(of: value.item, path) {
            return items.map { ElementValue(item: $0, name: path, index: nil, type: FHIRPathValue($0).type) }
        }
        do {
            let results = try FHIRPath(path, options: options).evaluate(
                on: [FHIRPathValue(value.item)], context: run.context(resource))
            return results.map { ElementValue(item: $0.item, name: path, index: nil, type: $0.type) }
        } catch {
            return nil
        }
    }

    /// The values of an element by its name alone, which needs no expression; nil for other paths.
    private func members(of item: Item, _ path: String) -> [Item]? {
        guard case .object(let object) = item, path.utf8.allSatisfy({ ($0 | 0x20) &- 97 < 26 }), let first = path.utf8.first, first >= 97
        else { return nil }
        return object.slot(named: path).map { object.items(at: $0) }
    }

    private var options: FHIRPathOptions {
        var options = FHIRPathOptions.definitions
        options.allowsChoiceNames = true
        return options
    }

    /// The elements of the profile that a discriminator's path names.
    private func targets(_ path: String, from start: Target) -> [Target] {
        var current = [start]
        for step in Self.steps(path) {
            current = current.flatMap { target -> [Target] in
                if step == "$this" { return [target] }
                if step == "resolve()" { return resolved(target) }
                if step.hasPrefix("ofType(") {
                    let type = String(step.dropFirst(7).dropLast())
                    let typed = target.node.slices.filter { $0.rule.types?.contains { $0.code == type } ?? false }
                    return typed.isEmpty ? [target] : typed.map { Target(node: $0, structure: target.structure) }
                }
                if step.hasPrefix("extension(") {
                    let url = String(step.dropFirst(10).dropLast()).trimmingCharacters(in: ["'", "\""])
                    return extensions(target, url)
                }
                return children(target, step)
            }
        }
        return current
    }

    /// The steps of a path: full stops in brackets and quotation marks do not end one.
    private static func steps(_ path: String) -> [String] {
        var steps: [String] = [""]
        var depth = 0
        var isQuoted = false
        for character in path {
            if character == "'" { isQuoted.toggle() }
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ".", depth == 0, !isQuoted { steps.append("") } else { steps[steps.count - 1].append(character) }
        }
        return steps
    }

    private func children(_ target: Target, _ name: String) -> [Target] {
        var nodes = target.node.children.filter { $0.name == name || $0.name == name + "[x]" }
        if nodes.isEmpty {
            // `valueCodeableConcept` is a slice of `value[x]`.
            nodes = target.node.children.flatMap(\.slices).filter { $0.rule.sliceName == name }
        }
        if !nodes.isEmpty {
            // The slices of an element that must occur also say what is there.
            let slices = nodes.flatMap(\.slices).filter { ($0.rule.min ?? 0) > 0 }
            return (slices.isEmpty ? nodes : slices).map { Target(node: $0, structure: target.structure) }
        }
        // The profile on the element's type says more.
        return profiled(target).flatMap { children($0, name) }
    }

    private func profiled(_ target: Target) -> [Target] {
        (target.node.rule.types ?? []).flatMap { type -> [Target] in
            let urls = type.profiles.isEmpty ? [Knowledge.base + type.code] : type.profiles
            return urls.compactMap { url in
                guard let structure = try? run.knowledge.structure(Canonical(url)), structure.root !== target.node else { return nil }
                return Target(node: structure.root, structure: structure)
            }
        }
    }

    private func resolved(_ target: Target) -> [Target] {
        (target.node.rule.types ?? []).flatMap(\.targets).compactMap { url in
            (try? run.knowledge.structure(Canonical(url))).flatMap { $0 }.map { Target(node: $0.root, structure: $0) }
        }
    }

    private func extensions(_ target: Target, _ url: String) -> [Target] {
        let slices = target.node.children.filter { $0.name == "extension" }.flatMap(\.slices)
        return slices.filter { slice in
            slice.rule.types?.contains { $0.profiles.contains(url) } ?? false
                || slice.child(named: "url")?.rule.fixed?.json.text == url
        }.map { Target(node: $0, structure: target.structure) }
    }
}

import FireLiteCore

/// Compares an object with the rules of a view.
struct ProfileCheck {
    private let rule: _ProfileRule
    private(set) var issues: [FHIRIssue] = []

    init(rule: _ProfileRule) { self.rule = rule }

    mutating func run(_ object: FHIRObject) { run(object, path: object.layout.name) }

    private mutating func run(_ object: FHIRObject, path: String) { check(.object(object), rule.root, path: path) }

    private mutating func check(_ value: RuleValue, _ rule: RuleElement, path: String) {
        if !rule.types.isEmpty, !rule.types.contains(value.typeName) {
            add(.type, "has another type than \(rule.types.joined(separator: ", "))", at: path, rule: rule)
        }
        if let fixed = rule.fixed, !PatternMatch.equals(fixed, value) { add(.fixedValue, "needs the fixed value", at: path, rule: rule) }
        if let pattern = rule.pattern, !PatternMatch.holds(pattern, in: value) {
            add(.pattern, "needs what the pattern has", at: path, rule: rule)
        }
        guard case .object(let object) = value else { return }
        if let url = rule.profile, let used = self.rule.uses[url]?(), used.root.name == object.layout.name {
            var inner = ProfileCheck(rule: used)
            inner.run(object, path: path)
            issues += inner.issues
        }
        for child in rule.children {
            let values = object.ruleValues(named: child.name)
            // FHIR's own minimum or maximum may be reported too: by the same code at the same place.
            count(values.count, child, path: "\(path).\(child.name)")
            for (index, value) in values.enumerated() {
                check(value, child, path: place(path, child, index, of: object))
            }
            checkSlices(of: child, values, object, path)
        }
    }

    private mutating func checkSlices(of rule: RuleElement, _ values: [RuleValue], _ object: FHIRObject, _ path: String) {
        guard !rule.slices.isEmpty else { return }
        var taken = Set<Int>()
        for slice in rule.slices where !slice.tests.isEmpty {
            var number = 0
            var possible = 0
            for (index, value) in values.enumerated() {
                switch slice.selection(of: value) {
                case true?:
                    number += 1
                    taken.insert(index)
                    check(value, slice, path: place(path, rule, index, of: object))
                case false?: continue
                case nil:
                    // A reference that does not say to which type it leads may be any.
                    possible += 1
                    taken.insert(index)
                }
            }
            count(number, slice, possible: possible, path: "\(path).\(slice.key)")
        }
        guard rule.isClosed else { return }
        for index in values.indices where !taken.contains(index) {
            add(
                .closedSlicing, "fits no slice, and the profile allows no others", at: place(path, rule, index, of: object), rule: rule)
        }
    }

    private func place(_ path: String, _ rule: RuleElement, _ index: Int, of object: FHIRObject) -> String {
        let isList = object.ruleElements(named: rule.name).first?.isList ?? false
        let name = rule.name.hasSuffix("[x]") ? String(rule.name.dropLast(3)) : rule.name
        return isList ? "\(path).\(name)[\(index)]" : "\(path).\(name)"
    }

    private mutating func count(_ number: Int, _ rule: RuleElement, possible: Int = 0, path: String) {
        if number + possible < rule.min {
            add(.missing, "needs at least \(rule.min) value\(rule.min == 1 ? "" : "s"), has \(number)", at: path, rule: rule)
        }
        if let max = rule.max, number > max {
            add(.tooMany, "allows at most \(max) value\(max == 1 ? "" : "s"), has \(number)", at: path, rule: rule)
        }
    }

    private mutating func add(_ code: FHIRIssue.Code, _ message: String, at path: String, rule: RuleElement) {
        issues.append(
            FHIRIssue(path: path, severity: .error, code: code, message: "\(message) (\(rule.id) in \(self.rule.url))"))
    }
}

extension FHIRIssue.Code {
    /// A value differs from the fixed value of a profile.
    public static let fixedValue = Self(rawValue: "fixedValue")
    /// A value lacks what the pattern of a profile has.
    public static let pattern = Self(rawValue: "pattern")
    /// A value has a type that a profile does not allow.
    public static let type = Self(rawValue: "type")
    /// A value fits no slice of a closed slicing.
    public static let closedSlicing = Self(rawValue: "closedSlicing")
}

import FireLiteCore

/// What an ElementDefinition says, of a snapshot or a differential; in a differential nil where it says nothing.
package struct ElementRule: Sendable {
    package struct TypeRule: Sendable, Hashable {
        package var code: String
        package var profiles: [String] = []
        package var targets: [String] = []
        package var aggregation: [String] = []
        package var versioning: String?
    }

    package struct Binding: Sendable, Hashable {
        package var strength: String
        package var valueSet: String?
        package var maximum: String?
    }

    package struct Constraint: Sendable, Hashable {
        package var key: String
        package var severity: String
        package var expression: String?
        package var human: String?
    }

    package struct Discriminator: Sendable, Hashable {
        package var type: String
        package var path: String
    }

    package struct Slicing: Sendable, Hashable {
        package var discriminators: [Discriminator] = []
        package var isOrdered = false
        package var rules = "open"
    }

    /// A fixed value, a pattern, a minimum or a maximum, with its type: `CodeableConcept`.
    package struct Value: Sendable, Hashable {
        package var type: String
        package var json: JSONItem
    }

    package var id = ""
    package var path = ""
    package var sliceName: String?
    package var min: Int?
    /// `*` or a number.
    package var max: String?
    package var types: [TypeRule]?
    package var contentReference: String?
    package var fixed: Value?
    package var pattern: Value?
    package var minimum: Value?
    package var maximum: Value?
    package var maxLength: Int?
    package var binding: Binding?
    package var constraints: [Constraint] = []
    package var slicing: Slicing?
    package var isModifier: Bool?
    package var mustSupport: Bool?
    package var isSummary: Bool?

    package init() {}

    /// The element's own name: the last part of its path.
    package var name: Substring {
        guard let point = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return path[...] }
        return path[path.utf8.index(after: point)...]
    }

    /// The number of values at most; nil for no limit.
    package var limit: Int? { max == "*" ? nil : max.flatMap(Int.init) }

    /// Reads an ElementDefinition of STU3 and later.
    package init(_ json: JSONItem) {
        id = json["id"]?.text ?? ""
        path = json["path"]?.text ?? ""
        sliceName = json["sliceName"]?.text
        min = json["min"]?.integer
        max = json["max"]?.text
        types = json["type"].map { $0.items.map(TypeRule.init) }
        contentReference = json["contentReference"]?.text
        maxLength = json["maxLength"]?.integer
        binding = json["binding"].map(Binding.init)
        constraints = json["constraint"]?.items.map(Constraint.init) ?? []
        slicing = json["slicing"].map(Slicing.init)
        isModifier = json["isModifier"]?.truth
        mustSupport = json["mustSupport"]?.truth
        isSummary = json["isSummary"]?.truth
        for member in json.members {
            for (prefix, place) in Self.valuePlaces where member.name.hasPrefix(prefix) {
                let type = String(member.name.dropFirst(prefix.count))
                guard type.first?.isUppercase ?? false else { continue }
                self[keyPath: place] = Value(type: type, json: member.value)
            }
        }
    }

    /// Reads the elements of a definition.
    ///
    /// - Throws: `KnowledgeError` with code `definition` for a number of values or characters that is none: a rule that cannot be understood is not
    ///   left out.
    static func rules(_ elements: [JSONItem], of url: String) throws -> [ElementRule] {
        try elements.map { json in
            let rule = ElementRule(json)
            let isLimit = rule.max == "*" || (rule.limit ?? -1) >= 0
            for (name, isUnderstood) in [("min", (rule.min ?? -1) >= 0), ("max", isLimit), ("maxLength", (rule.maxLength ?? -1) >= 0)]
            where !isUnderstood && json[name] != nil {
                throw KnowledgeError(.definition, "\(url): `\(name)` of the element \(rule.path) is not a number, or too large: mend it")
            }
            return rule
        }
    }

    private nonisolated(unsafe) static let valuePlaces: [(String, WritableKeyPath<ElementRule, Value?>)] = [
        ("fixed", \.fixed), ("pattern", \.pattern), ("minValue", \.minimum), ("maxValue", \.maximum),
    ]

    /// Applies what an element of a differential says.
    ///
    /// - Parameter isSlice: whether the element is the first mention of a slice, whose base is the element that is sliced.
    mutating func apply(_ change: ElementRule) {
        if let value = change.sliceName { sliceName = value }
        if let value = change.min { min = value }
        if let value = change.max { max = value }
        if let value = change.types { types = value.map { Self.merged($0, types ?? []) } }
        if let value = change.contentReference { contentReference = value }
        if let value = change.fixed { fixed = value }
        if let value = change.pattern { pattern = value }
        if let value = change.minimum { minimum = value }
        if let value = change.maximum { maximum = value }
        if let value = change.maxLength { maxLength = value }
        if let value = change.binding {
            binding = Binding(
                strength: value.strength.isEmpty ? binding?.strength ?? "example" : value.strength,
                valueSet: value.valueSet ?? binding?.valueSet, maximum: value.maximum ?? binding?.maximum)
        }
        if let value = change.slicing { slicing = value }
        if let value = change.isModifier { isModifier = value }
        if let value = change.mustSupport { mustSupport = value }
        if let value = change.isSummary { isSummary = value }
        for constraint in change.constraints {
            constraints.removeAll { $0.key == constraint.key }
            constraints.append(constraint)
        }
    }

    /// A type of a differential keeps the profiles and targets of its base that it does not mention.
    private static func merged(_ type: TypeRule, _ base: [TypeRule]) -> TypeRule {
        guard let old = base.first(where: { $0.code == type.code }) else { return type }
        var type = type
        if type.profiles.isEmpty { type.profiles = old.profiles }
        if type.targets.isEmpty { type.targets = old.targets }
        return type
    }
}

extension ElementRule.TypeRule {
    init(_ json: JSONItem) {
        // The types of ids and of primitives' values are named by an extension, or by a URL of FHIRPath's.
        let code = json["code"]?.text ?? ""
        let system = "http://hl7.org/fhirpath/System."
        let real = json["extension"]?.items.first { $0["url"]?.text?.hasSuffix("structuredefinition-fhir-type") ?? false }
        self.code =
            real?["valueUrl"]?.text ?? real?["valueUri"]?.text ?? (code.hasPrefix(system) ? String(code.dropFirst(system.count)) : code)
        if self.code.hasPrefix(Knowledge.base) { self.code = String(self.code.dropFirst(Knowledge.base.count)) }
        // One profile in STU3, a list from R4 on.
        profiles = json["profile"].map { $0.isArray ? $0.items.compactMap(\.text) : [$0.text].compactMap { $0 } } ?? []
        targets = json["targetProfile"].map { $0.isArray ? $0.items.compactMap(\.text) : [$0.text].compactMap { $0 } } ?? []
        aggregation = json["aggregation"]?.items.compactMap(\.text) ?? []
        versioning = json["versioning"]?.text
    }
}

extension ElementRule.Binding {
    init(_ json: JSONItem) {
        strength = json["strength"]?.text ?? ""
        valueSet = json["valueSet"]?.text ?? json["valueSetUri"]?.text ?? json["valueSetReference"]?["reference"]?.text
        let maximum = json["extension"]?.items.first { $0["url"]?.text == Knowledge.base + "elementdefinition-maxValueSet" }
        self.maximum = maximum?["valueCanonical"]?.text ?? maximum?["valueUri"]?.text ?? maximum?["valueReference"]?["reference"]?.text
    }
}

extension ElementRule.Constraint {
    init(_ json: JSONItem) {
        key = json["key"]?.text ?? ""
        severity = json["severity"]?.text ?? "error"
        expression = json["expression"]?.text
        human = json["human"]?.text
    }
}

extension ElementRule.Slicing {
    init(_ json: JSONItem) {
        discriminators =
            json["discriminator"]?.items.map {
                ElementRule.Discriminator(type: $0["type"]?.text ?? "value", path: $0["path"]?.text ?? "$this")
            } ?? []
        isOrdered = json["ordered"]?.truth ?? false
        rules = json["rules"]?.text ?? "open"
    }
}

extension JSONItem {
    /// A truth value; nil for other values.
    var truth: Bool? { if case .bool(let value) = content { value } else { nil } }
    /// A whole number; nil for other values.
    var integer: Int? { if case .number(let literal) = content { Int(literal) } else { nil } }
}

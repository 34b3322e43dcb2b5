import FireLiteCore

/// A filter of a value set (`ValueSet.compose.include.filter`).
struct ConceptFilter: Sendable, Hashable {
    /// What a filter compares (value set FilterOperator).
    enum Operation: String, Sendable {
        case equals = "="
        case isA = "is-a"
        case descendentOf = "descendent-of"
        case isNotA = "is-not-a"
        case regex
        case isIn = "in"
        case isNotIn = "not-in"
        case generalizes
        case childOf = "child-of"
        case descendentLeaf = "descendent-leaf"
        case exists
    }

    let property: String
    let operation: Operation
    let value: String
    /// The values of a list, and they in lower case; of other filters than `in` and `not-in` the value alone.
    let values: [String]
    let valueSet: Set<ExactText>
    let foldedValues: Set<ExactText>

    init(_ property: String, _ operation: Operation, _ value: String) {
        (self.property, self.operation, self.value) = (property, operation, value)
        let isList = operation == .isIn || operation == .isNotIn
        values = isList ? value.split(separator: ",").map { $0.trimmed } : [value]
        valueSet = Set(values.map { ExactText($0) })
        foldedValues = Set(values.map { ExactText($0.lowercased()) })
    }

    static func == (left: ConceptFilter, right: ConceptFilter) -> Bool {
        (left.property, left.operation, left.value) == (right.property, right.operation, right.value)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(property)
        hasher.combine(operation)
        hasher.combine(value)
    }

    /// Whether it is about the code or its place in the hierarchy, and not about another property.
    var isAboutCode: Bool { Self.codeProperties.contains(property) || operation.isHierarchical }

    private static let codeProperties: Set<String> = ["concept", "code"]

    /// The only codes that can meet it, if it lists them.
    var listedCodes: [String]? {
        guard Self.codeProperties.contains(property) else { return nil }
        return switch operation {
        case .equals: [value]
        case .isIn: values
        default: nil
        }
    }

    /// - Throws: ``TerminologyError`` for a filter without a value, and one with an unknown operator.
    init(_ json: JSONItem, system: String, at place: String) throws {
        let property = json["property"]?.text ?? ""
        let name = json["op"]?.text ?? ""
        guard let value = json["value"]?.scalarText, !value.isEmpty else {
            throw TerminologyError(
                .definition, "invalid", kind: "vs-invalid", id: "UNABLE_TO_HANDLE_SYSTEM_FILTER_WITH_NO_VALUE", at: place,
                "the filter on \(property) \(name) for the code system \(system) has no value")
        }
        guard let operation = Operation(rawValue: name), !property.isEmpty else {
            throw TerminologyError(
                .notSupported, "invalid", kind: "vs-invalid", id: "FILTER_NOT_UNDERSTOOD", at: place,
                "the filter on '\(property)' for the code system \(system) has the unknown operator '\(name)'")
        }
        self.init(property, operation, value)
    }

    func error(notUnderstoodBy provider: some CodeProvider) -> TerminologyError {
        TerminologyError(
            .notSupported, "invalid", kind: "vs-invalid", id: "FILTER_NOT_UNDERSTOOD",
            "the code system \(provider.canonical) has no property '\(property)' that the filter \(operation.rawValue) could be applied to")
    }
}

extension ConceptFilter.Operation {
    var isHierarchical: Bool {
        switch self {
        case .isA, .descendentOf, .isNotA, .generalizes, .childOf, .descendentLeaf: true
        case .equals, .regex, .isIn, .isNotIn, .exists: false
        }
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }
}

import FireLiteCore

/// What is known of a code system beside its concepts.
struct SystemFacts: Sendable {
    var name: String?
    var language: String?
    var isCaseSensitive = true
    /// `complete`, `fragment`, `example`, `not-present` or `supplement` (value set CodeSystemContentMode).
    var content = "complete"
    var status = DefinitionStatus()
    /// The URIs of declared properties by their codes.
    var propertyURIs: [String: String] = [:]
    /// The supplements that apply, as canonical references.
    var supplements: [String] = []

    /// Whether a code that it lacks may be right all the same.
    var isPartial: Bool { content == "fragment" || content == "example" }
}

/// A code system that answers questions about codes.
///
/// Answers go by index: none walks all concepts, except ``forEach(_:_:_:)``.
protocol CodeProvider: Sendable {
    var url: String { get }
    var version: String? { get }
    var facts: SystemFacts { get }

    /// The concept of a code; for code systems that ignore case, of a code that differs by case.
    func concept(_ code: String) throws -> Concept?

    /// The concept with its names and properties, for code systems that leave them out until they are asked for.
    func detailed(_ concept: Concept) throws -> Concept

    /// What a concept means; nil if the code system does not say.
    func definition(of concept: Concept) throws -> String?

    /// The codes of the concepts directly above.
    func parents(of code: String) throws -> [String]
    /// The codes of the concepts directly below.
    func children(of code: String) throws -> [String]
    /// The concepts directly above one, without their details.
    func parentConcepts(of code: String) throws -> [Concept]
    /// The concepts directly below one, without their details.
    func childConcepts(of code: String) throws -> [Concept]
    /// Whether the first is the second one, or above it.
    func subsumes(_ general: String, _ special: String) throws -> Bool
    /// How two concepts relate.
    func relation(of first: Concept, to second: Concept) throws -> CodeRelation

    /// Whether a filter of a value set lets a concept through.
    ///
    /// - Throws: ``TerminologyError`` for a filter that the code system cannot apply.
    func matches(_ concept: Concept, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool

    /// Calls `body` with every concept that meets the filters, parents before their children, until it returns false. `depth` is the number of
    /// levels above it.
    ///
    /// - Throws: ``TerminologyError`` if the concepts cannot be listed.
    func forEach(_ filters: [ConceptFilter], _ effort: Effort, _ body: (_ concept: Concept, _ depth: Int) throws -> Bool) throws
}

extension CodeProvider {
    /// `url|version`, or the URL alone.
    var canonical: String { version.map { "\(url)|\($0)" } ?? url }

    func detailed(_ concept: Concept) throws -> Concept { concept }
    func definition(of concept: Concept) throws -> String? { try detailed(concept).definition }
    func parents(of code: String) throws -> [String] { [] }
    func children(of code: String) throws -> [String] { [] }
    func parentConcepts(of code: String) throws -> [Concept] { try parents(of: code).map { try concept($0) ?? Concept(code: $0) } }
    func childConcepts(of code: String) throws -> [Concept] { try children(of: code).map { try concept($0) ?? Concept(code: $0) } }
    func subsumes(_ general: String, _ special: String) throws -> Bool { general == special }

    func relation(of first: Concept, to second: Concept) throws -> CodeRelation {
        if first.code == second.code { return .equivalent }
        if try subsumes(first.code, second.code) { return .subsumes }
        return try subsumes(second.code, first.code) ? .subsumedBy : .notSubsumed
    }

    func matches(_ concept: Concept, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        guard filter.isAboutCode else { throw filter.error(notUnderstoodBy: self) }
        return try matchesCode(concept.code, filter, effort)
    }

    func forEach(_ filters: [ConceptFilter], _ effort: Effort, _ body: (Concept, Int) throws -> Bool) throws {
        // Codes that filters list are known without a list of all.
        guard let listed = filters.lazy.compactMap(\.listedCodes).first else {
            throw TerminologyError(
                .tooCostly, "too-costly", id: "VALUESET_TOO_COSTLY",
                "the code system \(url) has too many codes, or a grammar instead of a list: a value set with all of them cannot be expanded"
            )
        }
        for code in listed {
            try effort.step()
            guard let concept = try concept(code), try filters.allSatisfy({ try matches(concept, $0, effort) }) else { continue }
            if try !body(concept, 0) { return }
        }
    }

    /// Applies a filter on the code, or on its place in the hierarchy.
    func matchesCode(_ code: String, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        switch filter.operation {
        case .equals: return code.hasSameBytes(as: filter.value)
        case .isA: return try subsumes(filter.value, code)
        case .isNotA: return try !subsumes(filter.value, code)
        case .descendentOf: return try !code.hasSameBytes(as: filter.value) && subsumes(filter.value, code)
        case .descendentLeaf:
            return try !code.hasSameBytes(as: filter.value) && subsumes(filter.value, code) && children(of: code).isEmpty
        case .generalizes: return try subsumes(code, filter.value)
        case .childOf: return try parents(of: code).contains(filter.value)
        case .isIn: return filter.valueSet.contains(code)
        case .isNotIn: return !filter.valueSet.contains(code)
        case .regex: return try effort.matches(code, filter.value)
        case .exists: return filter.value == "true"
        }
    }
}

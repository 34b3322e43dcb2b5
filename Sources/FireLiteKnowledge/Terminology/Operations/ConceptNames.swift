import FireLiteCore

/// The names of a concept, from its code system, supplements and the value set that lists it.
struct ConceptNames {
    struct Name {
        let value: String
        let language: String?
        /// The designation that it is; nil for the display.
        let designation: Concept.Designation?
        let isMain: Bool
        /// Whether it is a name to show.
        let isDisplay: Bool
    }

    let names: [Name]

    /// - Parameters:
    ///   - listed: what a value set says of the code.
    ///   - valueSetLanguage: the language of that value set.
    init(_ concept: Concept, listed: ValueSetDefinition.Listed?, facts: SystemFacts, valueSetLanguage: String? = nil) {
        var names: [Name] = []
        func add(_ value: String?, _ language: String?) {
            guard let value, !names.contains(where: { $0.isMain && $0.value == value }) else { return }
            names.append(Name(value: value, language: language, designation: nil, isMain: true, isDisplay: true))
        }
        func add(_ designations: [Concept.Designation]) {
            for item in designations {
                names.append(
                    Name(
                        value: item.value, language: item.language, designation: item, isMain: false,
                        isDisplay: item.isDisplay && !item.isWithdrawn))
            }
        }
        add(listed?.display, valueSetLanguage ?? facts.language)
        add(concept.display, facts.language)
        add(listed?.designations ?? [])
        add(concept.designations)
        self.names = names
    }

    /// The place of the name to show; nil if there is none in a wanted language and others are unwanted.
    func preferred(_ languages: LanguagePreferences?) -> Int? {
        let main = names.firstIndex(where: \.isMain)
        guard let languages else { return main }
        for wanted in languages.wanted {
            for closeness in 0...2 {
                let fitting = names.indices.filter { place in
                    names[place].isDisplay && names[place].language.flatMap { LanguagePreferences.closeness($0, wanted) } == closeness
                }
                if let found = fitting.first(where: { names[$0].isMain }) ?? fitting.first { return found }
            }
        }
        // A name of an unknown language may be in a wanted one.
        if let main, languages.excludesOthers, names[main].language != nil { return nil }
        return main
    }

    func display(_ languages: LanguagePreferences?) -> String? { preferred(languages).map { names[$0].value } }

    /// The names other than one, as `designation` elements.
    func designations(without used: Int?, _ isWanted: (Concept.Designation) -> Bool) -> [JSONItem] {
        names.enumerated().filter { $0.offset != used }.map { _, name in
            name.designation ?? Concept.Designation(language: name.language, use: Self.preferredUse, value: name.value)
        }.filter(isWanted).map(\.json)
    }

    static let preferredUse = JSONItem.object([
        "system": .string("http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra"), "code": .string("preferredForLanguage"),
        "display": .string("Preferred For Language"),
    ])
}

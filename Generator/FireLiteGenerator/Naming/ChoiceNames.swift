/// Names of choice enums, and which elements share one.
struct ChoiceNames {
    /// A choice element.
    struct Use {
        /// FHIR's path with `[x]`.
        var path: String
        /// The name it would have of its own.
        var name: String
        var cases: [NamedChoice.Case]
    }

    /// Elements with the same list of more types than this share an enum: the open list of R4 has 50.
    static let mostUnshared = 12
    /// The enum of the list of types `Extension.value[x]` has.
    static let openName = "OpenType"
    private static let openPath = "Extension.value[x]"

    /// Enums that belong to no single class.
    private(set) var shared: [NamedChoice] = []
    private var enumNames: [String: String] = [:]
    private var ownChoices: [String: [NamedChoice]] = [:]

    init() {}

    /// - Parameter settings: Names that are given, for a shared enum by one of its elements.
    init(_ uses: [Use], names: inout TypeNames, settings: Settings = Settings()) {
        let groups = Dictionary(grouping: uses.filter { $0.cases.count > Self.mostUnshared }, by: Self.signature)
        let open = groups.first { $0.value.contains { $0.path == Self.openPath } }?.key
        var sharedNames: [String: String] = [:]
        if let open { sharedNames[open] = names.takeChoice(settings.choices[Self.openPath]?.text ?? Self.openName) }
        for use in uses {
            let signature = Self.signature(use)
            let group = groups[signature] ?? []
            if group.count > 1 || signature == open {
                let given = group.lazy.compactMap { settings.choices[$0.path]?.text }.first
                let name = sharedNames[signature] ?? names.takeChoice(given ?? use.name)
                sharedNames[signature] = name
                enumNames[use.path] = name
                if !shared.contains(where: { $0.name == name }) {
                    shared.append(NamedChoice(name: name, paths: group.map(\.path), cases: use.cases))
                }
            } else {
                let name = names.takeChoice(settings.choices[use.path]?.text ?? use.name)
                enumNames[use.path] = name
                let owner = use.path.lastIndex(of: ".").map { String(use.path[..<$0]) } ?? use.path
                ownChoices[owner, default: []].append(NamedChoice(name: name, paths: [use.path], cases: use.cases))
            }
        }
        shared.sort { $0.name < $1.name }
    }

    private static func signature(_ use: Use) -> String {
        use.cases.map { $0.name + ":" + $0.swiftType }.joined(separator: " ")
    }

    /// The enum of a choice element by its path.
    func enumName(_ path: String) -> String? { enumNames[path] }

    /// The enums that only elements of one class use.
    func own(by owner: String) -> [NamedChoice] { ownChoices[owner] ?? [] }
}

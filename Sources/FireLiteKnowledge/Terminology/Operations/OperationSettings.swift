import FireLiteCore

/// What the parameters of an operation, the definition of its value set and the request's languages ask for.
struct OperationSettings: Sendable {
    /// Which version of a code system or value set is taken.
    struct VersionRule: Sendable {
        enum Mode: Sendable {
            /// If nothing else names a version.
            case standard
            /// No other version is allowed.
            case check
            /// Whatever else names a version.
            case force
        }

        let mode: Mode
        let url: String
        let version: String
        /// The name of its parameter.
        let parameter: String

        var canonical: String { "\(url)|\(version)" }
    }

    private(set) var systemRules: [VersionRule] = []
    private(set) var valueSetRules: [VersionRule] = []
    private(set) var languages: LanguagePreferences?
    private(set) var supplements: [String] = []
    private(set) var isActiveOnly = false
    private(set) var isMembershipOnly = false
    private(set) var isDisplayLenient = false
    /// Whether abstract concepts are allowed; nil if the request does not say.
    private(set) var allowsAbstract: Bool?
    /// Whether codes of several versions of a code system are the same; nil if the request does not say.
    private(set) var matchesVersions: Bool?
    let parameters: RequestParameters

    /// - Parameters:
    ///   - parameters: the request's.
    ///   - valueSet: the value set, whose definition may set parameters too.
    ///   - header: the languages of the request as a whole.
    init(_ parameters: RequestParameters, valueSet: ValueSetDefinition? = nil, header: String? = nil) {
        self.parameters = parameters
        let defined = valueSet?.parameters ?? []
        func text(_ name: String) -> String? { parameters.text(name) ?? defined.last { $0.name == name }?.value.scalarText }
        func bool(_ name: String) -> Bool? { text(name).map { $0 == "true" } }
        func rules(_ mode: VersionRule.Mode, _ names: String...) -> [VersionRule] {
            names.flatMap { name in
                (parameters.texts(name) + defined.filter { $0.name == name }.compactMap(\.value.scalarText)).compactMap { text in
                    let canonical = Canonical(text)
                    return canonical.version.map { VersionRule(mode: mode, url: canonical.url, version: $0, parameter: name) }
                }
            }
        }
        if parameters.hasVersionRules || !defined.isEmpty {
            systemRules = rules(.force, "force-system-version") + rules(.standard, "system-version") + rules(.check, "check-system-version")
            valueSetRules =
                rules(.force, "force-valueset-version") + rules(.standard, "default-valueset-version")
                + rules(.check, "check-valueset-version")
        }
        languages = [text("displayLanguage"), header, valueSet?.language].lazy.compactMap { $0.flatMap(LanguagePreferences.init) }.first
        supplements = parameters.texts("useSupplement") + (valueSet?.supplements ?? [])
        isActiveOnly = bool("activeOnly") ?? false
        isMembershipOnly = bool("valueset-membership-only") ?? false
        isDisplayLenient = bool("lenient-display-validation") ?? false
        allowsAbstract = bool("abstract")
        matchesVersions = bool("versionsMatch")
    }

    /// The version to take of what a definition refers to, and the rule that names it.
    static func version(
        of url: String, declared: String?, _ rules: [VersionRule]
    ) -> (version: String?, rule: VersionRule?) {
        let own = rules.filter { $0.url == url }
        if let rule = own.first(where: { $0.mode == .force }) { return (rule.version, rule) }
        if let declared { return (declared, nil) }
        let rule = own.first { $0.mode == .standard } ?? own.first { $0.mode == .check }
        return (rule?.version, rule)
    }

    /// The rule that forbids a version; nil if it is allowed.
    static func violated(_ url: String, _ version: String?, _ rules: [VersionRule]) -> VersionRule? {
        rules.first { $0.mode == .check && $0.url == url && !VersionPattern.matches(version, $0.version) }
    }
}

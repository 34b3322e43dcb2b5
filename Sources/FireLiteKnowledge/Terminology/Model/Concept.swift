import FireLiteCore

/// A concept of a code system, with what supplements add.
struct Concept: Sendable {
    /// A name in a language or for a use (`CodeSystem.concept.designation`).
    struct Designation: Sendable {
        var language: String?
        var use: JSONItem?
        let value: String
        var extensions: [JSONItem] = []
        /// Whether a status says that it is no longer used.
        var isWithdrawn = false

        init(language: String?, use: JSONItem? = nil, value: String) {
            (self.language, self.use, self.value) = (language, use, value)
        }

        /// - Returns: nil for an element without a value.
        init?(_ json: JSONItem) {
            guard let value = json["value"]?.text else { return nil }
            self.init(language: json["language"]?.text, use: json["use"], value: value)
            extensions = json.extensions.filter { KnownExtension.designation.contains($0["url"]?.text ?? "") }
            isWithdrawn = json.extension(KnownExtension.standardsStatus)?.valueText == "withdrawn"
        }

        /// Whether it is a name to show, and not an abbreviation, a definition or the like.
        var isDisplay: Bool {
            guard let use, let code = use["code"]?.text else { return true }
            return Self.displayUses.contains(code)
        }

        /// The uses of names to show: FHIR's own, and SNOMED CT's for synonyms and full names.
        private static let displayUses: Set<String> = ["display", "preferredForLanguage", "900000000000013009", "900000000000003001"]

        var json: JSONItem {
            .object([
                "extension": extensions.isEmpty ? nil : .array(extensions), "language": language.map { .string($0) }, "use": use,
                "value": .string(value),
            ])
        }
    }

    /// A value of a property (`CodeSystem.concept.property`).
    struct Property: Sendable {
        let code: String
        /// The member that has the value: `valueCode`.
        let member: String
        let value: JSONItem

        init(_ code: String, _ member: String, _ value: JSONItem) {
            (self.code, self.member, self.value) = (code, member, value)
        }

        /// - Returns: nil for an element without a code or a value.
        init?(_ json: JSONItem) {
            guard let code = json["code"]?.text, let member = json.members.first(where: { $0.name.hasPrefix("value") }) else { return nil }
            self.init(code, member.name, member.value)
        }

        /// The value as filters compare it; of a Coding its code.
        var text: String { value.scalarText ?? value["code"]?.text ?? "" }

        var json: JSONItem { .object([.init(name: "code", value: .string(code)), .init(name: member, value: value)]) }
    }

    /// What concepts of large code systems have only when somebody asks for it.
    private struct Details: Sendable {
        var definition: String?
        var designations: [Designation] = []
        var properties: [Property] = []
        var extensions: [JSONItem] = []
        var status: String?
    }

    let code: String
    var display: String?
    var isAbstract = false
    var isInactive = false
    /// Empty, or the details alone: to copy an array takes one step, and to copy each of them one each, for every code of an expansion.
    private var details: [Details] = []

    init(code: String, display: String? = nil) { (self.code, self.display) = (code, display) }

    private mutating func change(_ body: (inout Details) -> Void) {
        if details.isEmpty { details.append(Details()) }
        body(&details[0])
    }

    var definition: String? {
        get { details.isEmpty ? nil : details[0].definition }
        set { change { $0.definition = newValue } }
    }
    var designations: [Designation] {
        get { details.isEmpty ? [] : details[0].designations }
        set { change { $0.designations = newValue } }
    }
    var properties: [Property] {
        get { details.isEmpty ? [] : details[0].properties }
        set { change { $0.properties = newValue } }
    }
    var extensions: [JSONItem] {
        get { details.isEmpty ? [] : details[0].extensions }
        set { change { $0.extensions = newValue } }
    }
    /// The status of the concept, `retired` for one; nil if the code system has none.
    var status: String? {
        get { details.isEmpty ? nil : details[0].status }
        set { change { $0.status = newValue } }
    }

    /// The status that is worth a mention: any but `active`; nil if there is none.
    var notableStatus: String? { status == "active" ? nil : status }
}

/// Extensions that terminology operations know, by URL.
enum KnownExtension {
    private static let base = "http://hl7.org/fhir/StructureDefinition/"
    static let standardsStatus = base + "structuredefinition-standards-status"
    static let supplement = base + "valueset-supplement"
    static let expansionParameter = base + "valueset-expansion-parameter"
    static let deprecated = base + "valueset-deprecated"
    static let conceptDefinition = base + "valueset-concept-definition"
    private static let weight = base + "itemWeight"
    private static let descriptionID = base + "coding-sctdescid"
    private static let style = base + "rendering-style"
    private static let markup = base + "rendering-xhtml"

    /// Those of a designation that an expansion repeats.
    static let designation: Set<String> = [descriptionID, standardsStatus]
    /// Those of a concept that an expansion repeats.
    static let concept: Set<String> = [descriptionID, style, markup, base + "codesystem-alternate"]
    /// Those of a concept in a value set that an expansion repeats.
    static let listed: Set<String> = [descriptionID, style, markup, deprecated, standardsStatus, conceptDefinition]

    /// Extensions that an expansion repeats as properties, with the property and the type of its value.
    static let properties: [String: (property: String, member: String)] = [
        base + "codesystem-conceptOrder": ("order", "valueDecimal"), base + "valueset-conceptOrder": ("order", "valueDecimal"),
        base + "codesystem-label": ("label", "valueString"), base + "valueset-label": ("label", "valueString"),
        weight: ("weight", "valueDecimal"),
    ]

    /// The URI of a property that FHIR defines for every code system.
    static func uri(ofProperty code: String) -> String {
        "http://hl7.org/fhir/concept-properties#" + (code == "weight" ? "itemWeight" : code)
    }
}

extension JSONItem {
    /// The extensions of an element.
    var extensions: [JSONItem] { self["extension"]?.items ?? [] }

    /// The first extension with a URL.
    func `extension`(_ url: String) -> JSONItem? { extensions.first { $0["url"]?.text == url } }

    /// The text of the member `value[x]`; nil if there is none, or if it is an object.
    var valueText: String? { members.first { $0.name.hasPrefix("value") }?.value.scalarText }

    /// A text, number or truth value as text.
    var scalarText: String? {
        switch content {
        case .string(let text): text
        case .number(let literal): literal
        case .bool(let value): value ? "true" : "false"
        default: nil
        }
    }

    /// Whether it says true, as a truth value or a text.
    var isTrue: Bool { scalarText == "true" }
}

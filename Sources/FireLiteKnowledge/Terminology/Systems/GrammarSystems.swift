import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// Code systems that have a grammar, or that the system's libraries list: they need no definition.
enum GrammarSystems {
    static let all: [any CodeProvider] = [
        UnitSystem(), LanguageSystem(), MediaTypeSystem(), ListedSystem.countries, ListedSystem.currencies,
    ]

    /// A value set of all codes of a code system.
    static func whole(_ url: String, _ system: String) -> JSONItem {
        .object([
            "resourceType": .string("ValueSet"), "url": .string(url), "status": .string("active"),
            "compose": .object(["include": .array([.object(["system": .string(system)])])]),
        ])
    }
}

/// UCUM: every expression of its grammar is a code (The Unified Code for Units of Measure).
struct UnitSystem: CodeProvider, ImplicitValueSets {
    let url = "http://unitsofmeasure.org"
    var version: String? { nil }
    var facts: SystemFacts {
        var facts = SystemFacts()
        facts.name = "UCUM"
        return facts
    }

    func concept(_ code: String) -> Concept? {
        // A code is a unit if it converts to itself.
        UnitConversion.convert(1, from: code, to: code) == nil ? nil : Concept(code: code, display: code)
    }

    func matches(_ concept: Concept, _ filter: ConceptFilter, _ effort: Effort) throws -> Bool {
        switch (filter.property, filter.operation) {
        case ("canonical", .equals): UnitConversion.convert(1, from: concept.code, to: filter.value) != nil
        case _ where filter.isAboutCode: try matchesCode(concept.code, filter, effort)
        default: throw filter.error(notUnderstoodBy: self)
        }
    }

    func implicitValueSet(_ url: String) -> JSONItem? {
        let names: Set<String> = ["http://unitsofmeasure.org/vs", "http://hl7.org/fhir/ValueSet/ucum-units"]
        return names.contains(url) ? GrammarSystems.whole(url, self.url) : nil
    }
}

/// BCP 47: tags of languages, made of subtags of ISO 639, 15924, 3166 and others (RFC 5646).
struct LanguageSystem: CodeProvider, ImplicitValueSets {
    let url = "urn:ietf:bcp:47"
    var version: String? { nil }
    var facts: SystemFacts {
        var facts = SystemFacts()
        facts.name = "BCP 47"
        facts.language = "en"
        facts.isCaseSensitive = false
        return facts
    }

    private static let english = Locale(identifier: "en")
    private static let languages = Set(Locale.LanguageCode.isoLanguageCodes.map { $0.identifier.lowercased() })
    private static let regions = Set(Locale.Region.isoRegions.map { $0.identifier.lowercased() })

    func concept(_ code: String) -> Concept? {
        guard let tag = Self.normalized(code) else { return nil }
        return Concept(code: tag, display: Self.english.localizedString(forIdentifier: tag))
    }

    /// The tag in the usual case: `de-CH`, `zh-Hant-TW`; nil for a text that is none, and for languages and regions that ISO does not list.
    private static func normalized(_ code: String) -> String? {
        let parts = code.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isAlphanumeric) }) else {
            return nil
        }
        if first.lowercased() == "x" { return parts.count > 1 ? code : nil }
        guard (2...3).contains(first.count), languages.contains(first.lowercased()) else { return nil }
        var result = [first.lowercased()]
        var rest = parts.dropFirst()
        while let next = rest.first, next.count == 3, next.allSatisfy(\.isLetter), result.count < 4 {
            result.append(rest.removeFirst().lowercased())
        }
        if let next = rest.first, next.count == 4, next.allSatisfy(\.isLetter) { result.append(rest.removeFirst().capitalized) }
        if let next = rest.first, next.count == 2 && next.allSatisfy(\.isLetter) || next.count == 3 && next.allSatisfy(\.isNumber) {
            guard next.count == 3 || regions.contains(next.lowercased()) else { return nil }
            result.append(rest.removeFirst().uppercased())
        }
        // Variants have five letters or more, or four that begin with a digit; the rest follows a single letter.
        while let next = rest.first, next.count >= 5 || next.count == 4 && next.first?.isNumber == true {
            result.append(rest.removeFirst().lowercased())
        }
        if let next = rest.first {
            guard next.count == 1, rest.count > 1 else { return nil }
            result += rest.map { $0.lowercased() }
        }
        return result.joined(separator: "-")
    }

    /// Whether a code that is not known here may still be a language: ISO 639-3 has thousands of three letters, and some tags were registered as a whole.
    static func mayBeLanguage(_ question: CodeQuestion) -> Bool {
        guard question.system == nil || question.system == "urn:ietf:bcp:47" else { return false }
        let parts = question.code.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isAlphanumeric) }) else {
            return false
        }
        return first.utf8.count == 3 && first.allSatisfy(\.isLetter) || first.lowercased() == "i" && parts.count > 1
    }

    /// Whether a display begins with the English name of another language than that of a tag: `German` and `German (Austria)` for `en-US`.
    static func isName(_ display: String, ofOtherThan code: String) -> Bool {
        let name = display.prefix { $0 != "(" }.trimmed.lowercased()
        guard names.contains(name), let first = code.split(separator: "-").first else { return false }
        // The tag's own language may be one of several of that name: `Norwegian` for `nb`, which is Norwegian Bokmål.
        return english.localizedString(forLanguageCode: first.lowercased()).map { !$0.lowercased().contains(name) } ?? false
    }

    private static let names = Set(languages.compactMap { english.localizedString(forLanguageCode: $0)?.lowercased() })

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    func implicitValueSet(_ url: String) -> JSONItem? {
        url == "http://hl7.org/fhir/ValueSet/all-languages" ? GrammarSystems.whole(url, self.url) : nil
    }
}

/// BCP 13: media types (RFC 6838), by their form.
struct MediaTypeSystem: CodeProvider, ImplicitValueSets {
    let url = "urn:ietf:bcp:13"
    var version: String? { nil }
    var facts: SystemFacts {
        var facts = SystemFacts()
        facts.name = "BCP 13"
        facts.isCaseSensitive = false
        return facts
    }

    private static let types: Set<String> = [
        "application", "audio", "chemical", "example", "font", "haptics", "image", "message", "model", "multipart", "text", "video",
    ]

    func concept(_ code: String) -> Concept? {
        let type = code.prefix { $0 != ";" }.trimmed
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.types.contains(parts[0].lowercased()), Self.isName(parts[1]) else { return nil }
        let parameters = code.dropFirst(type.count).split(separator: ";").map { $0.trimmed }.filter { !$0.isEmpty }
        guard parameters.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else { return nil }
        return Concept(code: code, display: code)
    }

    private static func isName(_ text: Substring) -> Bool {
        (1...127).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "!#$&-^_.+".utf8.contains(byte)
            }
    }

    func implicitValueSet(_ url: String) -> JSONItem? {
        url == "http://hl7.org/fhir/ValueSet/mimetypes" ? GrammarSystems.whole(url, self.url) : nil
    }
}

/// A code system whose codes the system's libraries list: ISO 3166-1 and ISO 4217, as far as Foundation knows them.
struct ListedSystem: CodeProvider, ImplicitValueSets {
    let url: String
    let name: String
    /// The URL of FHIR's value set of all codes.
    private let valueSet: String
    private let codes: [String]
    private let names: [String: String]

    var version: String? { nil }
    var facts: SystemFacts {
        var facts = SystemFacts()
        facts.name = name
        facts.language = "en"
        return facts
    }

    func concept(_ code: String) -> Concept? { names[code].map { Concept(code: code, display: $0) } }

    func forEach(_ filters: [ConceptFilter], _ effort: Effort, _ body: (Concept, Int) throws -> Bool) throws {
        for code in codes {
            guard let concept = concept(code), try filters.allSatisfy({ try matches(concept, $0, effort) }) else { continue }
            if try !body(concept, 0) { return }
        }
    }

    func implicitValueSet(_ url: String) -> JSONItem? { url == valueSet ? GrammarSystems.whole(url, self.url) : nil }

    private init(url: String, name: String, valueSet: String, names: [String: String]) {
        (self.url, self.name, self.valueSet, self.names) = (url, name, valueSet, names)
        codes = names.keys.sorted()
    }

    private static let english = Locale(identifier: "en")

    static let countries = ListedSystem(
        url: "urn:iso:std:iso:3166", name: "ISO 3166-1", valueSet: "http://hl7.org/fhir/ValueSet/iso3166-1-2",
        names: Dictionary(
            Locale.Region.isoRegions.map(\.identifier).filter { $0.count == 2 && $0.allSatisfy(\.isLetter) }.map { code in
                (code, english.localizedString(forRegionCode: code) ?? code)
            }, uniquingKeysWith: { first, _ in first }))

    static let currencies = ListedSystem(
        url: "urn:iso:std:iso:4217", name: "ISO 4217", valueSet: "http://hl7.org/fhir/ValueSet/currencies",
        names: Dictionary(
            Locale.Currency.isoCurrencies.map { $0.identifier.uppercased() }.map { code in
                (code, english.localizedString(forCurrencyCode: code) ?? code)
            }, uniquingKeysWith: { first, _ in first }))
}

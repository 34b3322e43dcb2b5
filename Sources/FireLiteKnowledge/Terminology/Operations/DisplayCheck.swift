import Foundation

/// Checks the name that comes with a code against the names that its code system and value set have.
struct DisplayCheck {
    /// The URL of the code system.
    let system: String
    let names: ConceptNames
    let facts: SystemFacts
    let languages: LanguagePreferences?
    let isLenient: Bool

    /// What is wrong with the name; nil if it is one of the code's.
    func issue(_ display: String, _ coded: CheckedCode) -> TerminologyIssue? {
        let shown = names.names.filter(\.isDisplay)
        let valid =
            languages.map { languages in
                shown.filter { name in (name.language ?? facts.language).map(languages.accepts) ?? true }
            } ?? shown
        if valid.contains(where: { Self.isSame($0.value, display) }) { return nil }
        let what = "\(coded.system ?? "")#\(coded.code)"
        let wish = languages.map { " in the languages \($0.text)" } ?? ""
        if valid.isEmpty, !shown.isEmpty {
            let isKnown = shown.contains { Self.isSame($0.value, display) && ($0.language ?? facts.language) == facts.language }
            if isKnown {
                return issue(
                    .information, id: "NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_OK", of: coded,
                    "\(what) has no name\(wish); '\(display)' is a name in the language of the code system")
            }
            return issue(
                severity(of: display, coded), id: "NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_ERR", of: coded,
                "'\(display)' is not a name of \(what), which has none\(wish)")
        }
        if valid.isEmpty {
            return issue(.warning, id: "NO_VALID_DISPLAY_FOUND", of: coded, "'\(display)' cannot be checked: \(what) has no name")
        }
        let isSpaced = valid.contains { Self.isSame(Self.condensed($0.value), Self.condensed(display)) }
        let choices = valid.map { "'\($0.value)'" }.joined(separator: ", ")
        return issue(
            severity(of: display, coded),
            id: isSpaced ? "Display_Name_WS_for__should_be_one_of__instead_of" : "Display_Name_for__should_be_one_of__instead_of",
            of: coded,
            "'\(display)' is not a name of \(what)\(wish), which is \(choices)\(isSpaced ? "; white space differs" : "")")
    }

    private func severity(of display: String, _ coded: CheckedCode) -> TerminologyIssue.Severity {
        isLenient || !isNameOfOther(display, coded.code) ? .warning : .error
    }

    /// Whether a name that is not known for a code is wrong. Names of countries, currencies and languages are those of the system's libraries, which say
    /// `United States`, so that only the name of another country or language is. UCUM and BCP 13 define no displays, BCP 47 none for a whole tag: FHIR
    /// itself writes `English (Great Britain)` for `en-GB`, and many data say `English`.
    private func isNameOfOther(_ display: String, _ code: String) -> Bool {
        switch system {
        case "urn:iso:std:iso:3166": Self.countries.contains(display.lowercased())
        case "urn:ietf:bcp:47": LanguageSystem.isName(display, ofOtherThan: code)
        case "urn:iso:std:iso:4217", "urn:ietf:bcp:13", "http://unitsofmeasure.org": false
        default: true
        }
    }

    private static let countries: Set<String> = {
        let english = Locale(identifier: "en")
        return Set(Locale.Region.isoRegions.compactMap { english.localizedString(forRegionCode: $0.identifier)?.lowercased() })
    }()

    private func issue(_ severity: TerminologyIssue.Severity, id: String, of coded: CheckedCode, _ text: String) -> TerminologyIssue {
        TerminologyIssue(
            severity, code: "invalid", kind: "invalid-display", id: id, at: coded.place("display"), isSummarized: true, text)
    }

    /// Upper and lower case make no difference, as FHIR's page Using Terminologies says of displays.
    private static func isSame(_ first: String, _ second: String) -> Bool { first == second || first.lowercased() == second.lowercased() }

    private static func condensed(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

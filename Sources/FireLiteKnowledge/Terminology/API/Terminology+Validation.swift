import FireLiteCore
import Foundation

/// What a validator asks about codes, answered by a terminology instead of by lists alone.
///
/// ```swift
/// let validator = FHIRValidator(knowledge: knowledge, codes: terminology)
/// ```
extension Terminology: CodeValidator {
    /// Whether a code is in a value set.
    ///
    /// - Parameters:
    ///   - question: the code. Without a system it is a member if any system of the value set has it.
    ///   - valueSet: the canonical URL of the value set, perhaps with a version.
    public func membership(of question: CodeQuestion, in valueSet: Canonical) -> CodeMembership {
        do {
            switch try membership(of: [TerminologyCode(question)], in: valueSet.description) {
            case .member: return .member
            case .notMember: return .notMember
            case .unknown: return .unknown
            }
        } catch {
            // A validation ends with what a source throws.
            _ = ReadingFailures.noted(error)
            return .unknown
        }
    }

    /// Whether a code system has a code.
    ///
    /// - Parameter question: the code, with its system.
    public func existence(of question: CodeQuestion) -> CodeMembership {
        answer(to: question)?.existence ?? .unknown
    }

    /// Whether a display is one that the code system has for the code.
    ///
    /// - Parameter question: the code, with its system and display.
    public func display(of question: CodeQuestion) -> CodeMembership { answer(to: question)?.display ?? .unknown }

    /// Whether a code system has a code, and the code the display; nil if the code system is unknown or cannot be used.
    func answer(to question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership)? {
        guard question.system != nil else { return nil }
        // ISO 3166 also has codes of three letters or digits, which the terminology does not list.
        if question.system == "urn:iso:std:iso:3166", question.code.utf8.count == 3 { return (.unknown, .unknown) }
        guard let found = try? validate(TerminologyCode(question)) else { return nil }
        let errors = found.issues.filter { $0.severity == .error }
        if errors.contains(where: { $0.kind == "invalid-code" }) { return (.notMember, .unknown) }
        if errors.contains(where: { $0.kind == "invalid-display" }) {
            return (.member, Self.isNameOfOther(question) ? .notMember : .unknown)
        }
        return found.isValid ? (.member, question.display == nil ? .unknown : .member) : (.unknown, .unknown)
    }

    /// Whether a display that the terminology does not know is wrong. Names of countries, currencies and languages are those of the system's libraries, which
    /// say `United States`, so that only the name of another country or language is. UCUM and BCP 13 define no displays, BCP 47 none for a whole tag:
    /// FHIR itself writes `English (Great Britain)` for `en-GB`, and many data say `English`.
    private static func isNameOfOther(_ question: CodeQuestion) -> Bool {
        switch question.system {
        case "urn:iso:std:iso:3166": question.display.map { countries.contains($0.lowercased()) } ?? false
        case "urn:ietf:bcp:47": question.display.map { LanguageSystem.isName($0, ofOtherThan: question.code) } ?? false
        case "urn:iso:std:iso:4217", "urn:ietf:bcp:13", "http://unitsofmeasure.org": false
        default: true
        }
    }

    private static let countries: Set<String> = {
        let english = Locale(identifier: "en")
        return Set(Locale.Region.isoRegions.compactMap { english.localizedString(forRegionCode: $0.identifier)?.lowercased() })
    }()
}

extension TerminologyCode {
    init(_ question: CodeQuestion) {
        self.init(question.code, system: question.system, version: question.version, display: question.display)
    }
}

/// The code systems, value sets and concept maps of packages and files are a source of a terminology.
extension Knowledge: TerminologySource {
    /// The definitions with a canonical URL.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - url: the canonical URL without a version.
    /// - Throws: `KnowledgeError` with code `file` if a file of packages cannot be read.
    public func definitions(ofType type: String, url: String) throws -> [Data] {
        try versions(url, type: type).map { try $0.text }
    }
}

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
        if errors.contains(where: { $0.kind == "invalid-display" }) { return (.member, .notMember) }
        guard found.isValid else { return (.unknown, .unknown) }
        // A warning says that the display cannot be checked.
        let isDoubtful = found.issues.contains { $0.kind == "invalid-display" && $0.severity == .warning }
        return (.member, question.display == nil || isDoubtful ? .unknown : .member)
    }
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

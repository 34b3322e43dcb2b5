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
        switch membership(of: [TerminologyCode(question)], in: valueSet.description) {
        case .member: .member
        case .notMember: .notMember
        case .unknown: .unknown
        }
    }

    /// Whether a code system has a code.
    ///
    /// - Parameter question: the code, with its system.
    public func existence(of question: CodeQuestion) -> CodeMembership {
        guard question.system != nil else { return .unknown }
        do {
            var code = TerminologyCode(question)
            // Names make no difference here.
            code.display = nil
            let found = try validate(code)
            if found.isValid { return .member }
            return found.issues.contains { $0.kind == "invalid-code" && $0.severity == .error } ? .notMember : .unknown
        } catch {
            return .unknown
        }
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

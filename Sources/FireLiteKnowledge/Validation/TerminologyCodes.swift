import FireLiteCore
import Foundation

/// Answers a validator's questions about codes from a terminology over the definitions of a `Knowledge`, and remembers the answers.
///
/// `@unchecked Sendable`: `lock` guards what is remembered.
final class TerminologyCodes: CodeValidator, @unchecked Sendable {
    private let terminology: Terminology
    private let lists: EnumeratedCodes
    private let lock = NSLock()
    private var memberships: [MembershipQuestion: CodeMembership] = [:]
    private var systems: [CodeQuestion: (existence: CodeMembership, display: CodeMembership)] = [:]

    /// More answers than this are forgotten, all at once.
    private static let maximumAnswers = 20_000

    private struct MembershipQuestion: Hashable {
        let code: CodeQuestion
        let valueSet: Canonical
    }

    init(_ knowledge: Knowledge) {
        var terminology = Terminology(release: knowledge.release)
        terminology.add(KnowledgeDefinitions(knowledge: knowledge))
        for system in knowledge.importedSystems { terminology.library.add(system) }
        self.terminology = terminology
        lists = knowledge.codes
    }

    func membership(of question: CodeQuestion, in valueSet: Canonical) -> CodeMembership {
        let key = MembershipQuestion(code: question, valueSet: valueSet)
        if let known = lock.withLock({ memberships[key] }) { return known }
        let (answer, failure) = ReadingFailures.watching { judge(question, in: valueSet) }
        if failure != nil { return .unknown }
        lock.withLock {
            if memberships.count >= Self.maximumAnswers { memberships.removeAll() }
            memberships[key] = answer
        }
        return answer
    }

    private func judge(_ question: CodeQuestion, in valueSet: Canonical) -> CodeMembership {
        switch terminology.membership(of: [TerminologyCode(question)], in: valueSet.description) {
        case .member: return .member
        case .notMember where valueSet.url == BaseFacts.allLanguages && LanguageSystem.mayBeLanguage(question): return .unknown
        case .notMember where question.system == nil:
            // A code alone is in the value set if a list has it; which system it is of cannot always be said. Without a list the terminology decides.
            let listed = lists.membership(of: question, in: valueSet)
            return listed == .unknown ? .notMember : listed
        case .notMember: return .notMember
        case .unknown: return lists.membership(of: question, in: valueSet)
        }
    }

    func existence(of question: CodeQuestion) -> CodeMembership { answer(to: question).existence }

    func display(of question: CodeQuestion) -> CodeMembership { answer(to: question).display }

    private func answer(to question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        if let known = lock.withLock({ systems[question] }) { return known }
        let (answer, failure) = ReadingFailures.watching { find(question) }
        if failure != nil { return (.unknown, .unknown) }
        lock.withLock {
            if systems.count >= Self.maximumAnswers { systems.removeAll() }
            systems[question] = answer
        }
        return answer
    }

    private func find(_ question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        // ISO 3166 also has codes of three letters or digits, which the terminology does not list.
        if question.system == "urn:iso:std:iso:3166", question.code.utf8.count == 3 { return (.unknown, .unknown) }
        guard let found = try? terminology.validate(TerminologyCode(question)) else { return (lists.existence(of: question), .unknown) }
        let errors = found.issues.filter { $0.severity == .error }
        if errors.contains(where: { $0.kind == "invalid-code" }) {
            return (question.system != nil && LanguageSystem.mayBeLanguage(question) ? .unknown : .notMember, .unknown)
        }
        if errors.contains(where: { $0.kind == "invalid-display" }) {
            return (.member, Self.isNameOfOther(question) ? .notMember : .unknown)
        }
        return found.isValid ? (.member, question.display == nil ? .unknown : .member) : (.unknown, .unknown)
    }

    /// Whether a display that the terminology does not know is wrong: names of countries and currencies are those of the system's libraries, which say
    /// `United States`, so that only the name of another country is.
    private static func isNameOfOther(_ question: CodeQuestion) -> Bool {
        switch question.system {
        case "urn:iso:std:iso:3166": question.display.map { countries.contains($0.lowercased()) } ?? false
        case "urn:iso:std:iso:4217": false
        default: true
        }
    }

    private static let countries: Set<String> = {
        let english = Locale(identifier: "en")
        return Set(Locale.Region.isoRegions.compactMap { english.localizedString(forRegionCode: $0.identifier)?.lowercased() })
    }()
}

/// The definitions of a `Knowledge` as a source of a terminology.
private struct KnowledgeDefinitions: TerminologySource {
    let knowledge: Knowledge

    func definitions(ofType type: String, url: String) throws -> [Data] { try knowledge.versions(url, type: type).map { try $0.text } }
}

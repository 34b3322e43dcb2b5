/// Answers a validator's questions about codes by a ``Terminology`` over the definitions of a `Knowledge`, and by lists of codes where it does not know, and
/// remembers the answers.
final class TerminologyCodes: CodeValidator {
    private let terminology: Terminology
    private let lists: EnumeratedCodes
    private let memberships = RememberedAnswers<MembershipQuestion, CodeMembership>(limit: maximumAnswers)
    private let systems = RememberedAnswers<CodeQuestion, (existence: CodeMembership, display: CodeMembership)>(limit: maximumAnswers)

    private static let maximumAnswers = 20_000

    private struct MembershipQuestion: Hashable, Sendable {
        let code: CodeQuestion
        let valueSet: Canonical
    }

    init(_ knowledge: Knowledge) {
        var terminology = Terminology(release: knowledge.release)
        terminology.add(knowledge)
        self.terminology = terminology
        lists = knowledge.codes
    }

    func membership(of question: CodeQuestion, in valueSet: Canonical) -> CodeMembership {
        let key = MembershipQuestion(code: question, valueSet: valueSet)
        if let known = memberships.answer(to: key, about: question.code) { return known }
        let (answer, failure) = ReadingFailures.watching { () -> CodeMembership in
            do { return try judge(question, in: valueSet) } catch {
                _ = ReadingFailures.noted(error)
                return .unknown
            }
        }
        if failure != nil { return .unknown }
        memberships.remember(answer, to: key, about: question.code)
        return answer
    }

    private func judge(_ question: CodeQuestion, in valueSet: Canonical) throws -> CodeMembership {
        switch try terminology.membership(of: [TerminologyCode(question)], in: valueSet.description) {
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

    /// Both answers about a code in its system.
    func answer(to question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        if let known = systems.answer(to: question, about: question.code) { return known }
        let (answer, failure) = ReadingFailures.watching { find(question) }
        if failure != nil { return (.unknown, .unknown) }
        systems.remember(answer, to: question, about: question.code)
        return answer
    }

    private func find(_ question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        guard let found = terminology.answer(to: question) else { return (lists.existence(of: question), .unknown) }
        // What may be a language is one that the list of languages need not have.
        if found.existence == .notMember, question.system != nil, LanguageSystem.mayBeLanguage(question) { return (.unknown, .unknown) }
        return found
    }
}

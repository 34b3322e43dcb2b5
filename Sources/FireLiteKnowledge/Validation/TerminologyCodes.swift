import Foundation

/// Answers a validator's questions about codes by a ``Terminology`` over the definitions of a `Knowledge`, and by lists of codes where it does not know, and
/// remembers the answers.
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
        terminology.add(knowledge)
        self.terminology = terminology
        lists = knowledge.codes
    }

    func membership(of question: CodeQuestion, in valueSet: Canonical) -> CodeMembership {
        let key = MembershipQuestion(code: question, valueSet: valueSet)
        if let known = lock.withLock({ memberships[key] }) { return known }
        let answer: CodeMembership =
            switch terminology.membership(of: question, in: valueSet) {
            case .member: .member
            // A code alone is in the value set if a list has it; which system it is of cannot always be said.
            case .notMember where question.system == nil: lists.membership(of: question, in: valueSet)
            case .notMember: .notMember
            case .unknown: lists.membership(of: question, in: valueSet)
            }
        lock.withLock {
            if memberships.count >= Self.maximumAnswers { memberships.removeAll() }
            memberships[key] = answer
        }
        return answer
    }

    func existence(of question: CodeQuestion) -> CodeMembership { answer(to: question).existence }

    func display(of question: CodeQuestion) -> CodeMembership { answer(to: question).display }

    private func answer(to question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        if let known = lock.withLock({ systems[question] }) { return known }
        let answer = find(question)
        lock.withLock {
            if systems.count >= Self.maximumAnswers { systems.removeAll() }
            systems[question] = answer
        }
        return answer
    }

    private func find(_ question: CodeQuestion) -> (existence: CodeMembership, display: CodeMembership) {
        terminology.answer(to: question) ?? (lists.existence(of: question), .unknown)
    }
}

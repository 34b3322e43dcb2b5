import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// What holds for every resource class of each release, whatever its elements are.
@Suite struct ResourceRuleTests {
    /// A rule for a class.
    struct Subject: Sendable, CustomStringConvertible {
        let type: TypeName
        let rule: ResourceRule
        var description: String { "\(type) \(rule)" }
    }

    /// Every class with one of the rules, each rule with an eighth of the classes; nightly every class with each rule.
    private static let subjects: [Subject] = {
        let rules = ResourceRule.allCases
        let types = Releases.all.flatMap { release in release.resourceTypes.map { TypeName(release: release, name: $0._layout.name) } }
        if Effort.isNightly { return types.flatMap { type in rules.map { Subject(type: type, rule: $0) } } }
        return Effort.items(types.enumerated().map { Subject(type: $1, rule: rules[$0 % rules.count]) })
    }()

    @Test(arguments: subjects) func everyResourceClassFollows(_ subject: Subject) throws {
        let type = try #require(subject.type.release.resourceType(named: subject.type.name))
        // By day half of a rule's classes have every element.
        let isFull = subject.type.name.utf8.count % 2 == 0
        try subject.rule.check(
            type, modes: Effort.isNightly ? [.sparse, .sparse, .everything(round: 0)] : [isFull ? .everything(round: 0) : .sparse])
    }
}

import FireLite
import FireLiteR4
import Testing

/// What holds for every resource class of the release, whatever its elements are.
@Suite struct ResourceRuleTests {
    private static let types = FHIRRelease.r4.resourceTypes.map(\._layout.name)

    @Test(arguments: types, ResourceRule.allCases)
    func everyResourceClassFollows(type: String, rule: ResourceRule) throws {
        try rule.check(#require(FHIRRelease.r4.resourceType(named: type)))
    }

    @Test func everyResourceClassIsAmongThem() {
        #expect(Self.types.count == 146 && Set(Self.types).count == 146)
    }
}

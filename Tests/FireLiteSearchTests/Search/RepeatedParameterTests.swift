import Testing

@testable import FireLiteSearch

/// A parameter that is there twice is one condition, however many there are.
struct RepeatedParameterTests {
    @Test(arguments: [1, 15, 16, 17, 18, 60]) func eachConditionCountsOnce(count: Int) throws {
        let distinct = (0..<count).map { "code=c\($0 / 2)\($0 % 2 == 0 ? "" : "&_tag=t\($0)")" }
        let address = "Observation?" + (distinct + distinct.reversed() + ["code=", "_format=json"]).joined(separator: "&")
        let conditions = try SearchControl(SearchRequest(address)).conditions
        let expected = (0..<(count + 1) / 2).map { "code=c\($0)" } + stride(from: 1, to: count, by: 2).map { "_tag=t\($0)" }
        #expect(Set(conditions.map { "\($0.name)=\($0.value)" }) == Set(expected))
        #expect(conditions.count == expected.count)
    }

    /// Texts that Swift takes for equal and that differ in their bytes are two conditions.
    @Test(arguments: [1, 40]) func bytesDecide(count: Int) throws {
        let others = (0..<count).map { "code=c\($0)" }
        let address = "Patient?" + (others + ["name=\u{E9}", "name=e\u{301}", "name=\u{E9}"]).joined(separator: "&")
        #expect(try SearchControl(SearchRequest(address)).conditions.count == count + 2)
    }
}

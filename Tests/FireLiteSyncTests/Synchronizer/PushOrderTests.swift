import Testing

@testable import FireLiteClient
@testable import FireLiteSync

@Suite struct PushOrderTests {
    @Test func componentsComeAfterThoseTheyDependOn() {
        #expect(PushOrder([[1], [2], []]).components == [[2], [1], [0]])
        #expect(PushOrder([[], [0], [1, 3], [2]]).components == [[0], [1], [2, 3]])
        #expect(PushOrder([[0]]).components == [[0]])
        #expect(PushOrder([]).components.isEmpty)
    }

    @Test func longChainsNeedNoStack() {
        let chain = (0..<100_000).map { $0 < 99_999 ? [$0 + 1] : [] }
        let components = PushOrder(chain).components
        #expect(components.count == 100_000 && components.first == [99_999] && components.last == [0])
    }

    @Test func randomGraphsAreOrderedSoundly() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let targets = (0..<30).map { _ in
                (0..<Int.random(in: 0...2, using: &generator)).map { _ in Int.random(in: 0..<30, using: &generator) }
            }
            let components = PushOrder(targets).components
            var place: [Int: Int] = [:]
            for (index, component) in components.enumerated() { for node in component { place[node] = index } }
            #expect(place.count == 30)
            for (node, list) in targets.enumerated() { for target in list { #expect(place[target] ?? 99 <= place[node] ?? -1) } }
        }
    }
}

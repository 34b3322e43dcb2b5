import FireLiteKnowledge
import Testing

@Suite struct CanonicalTests {
    @Test(arguments: [
        ("http://a.org/x", Canonical(url: "http://a.org/x")),
        ("http://a.org/x|1.0", Canonical(url: "http://a.org/x", version: "1.0")),
        ("http://a.org/x|1.0#part", Canonical(url: "http://a.org/x", version: "1.0", fragment: "part")),
        ("#part", Canonical(url: "", fragment: "part")),
        ("http://a.org/x|", Canonical(url: "http://a.org/x")),
    ])
    func partsAreSplitAtBarAndHash(_ text: String, _ expected: Canonical) {
        #expect(Canonical(text) == expected)
        #expect(Canonical(expected.description) == expected)
    }
}

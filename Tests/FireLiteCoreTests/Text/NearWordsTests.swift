import FireLiteCore
import Testing

struct NearWordsTests {
    private static let words = ["birthDate", "gender", "name", "deceased", "id", "link"]

    @Test(arguments: [
        ("brithDate", "birthDate"), ("birthdate", "birthDate"), ("gendre", "gender"), ("nmae", "name"), ("nam", "name"), ("names", "name"),
        ("lnik", "link"), ("birthDat", "birthDate"),
    ])
    func aSlipIsFound(_ word: String, _ meant: String) { #expect(NearWords.nearest(to: word, among: Self.words) == meant) }

    @Test(arguments: ["", "x", "ix", "telecom", "contact", String(repeating: "birthDate", count: 1_000)])
    func anotherWordIsNot(_ word: String) { #expect(NearWords.nearest(to: word, among: Self.words) == nil) }

    @Test func theNearestOfSeveralCounts() {
        #expect(NearWords.nearest(to: "observtion", among: ["Conversation", "Observation"]) == "Observation")
        #expect(NearWords.hint(for: "gendr", among: Self.words) == ": did you mean 'gender'?")
        #expect(NearWords.hint(for: "zzz", among: Self.words).isEmpty)
    }
}

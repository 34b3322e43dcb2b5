import Testing

@testable import FireLite

struct ContentKindTests {
    private func kind(_ text: String, isAll: Bool = true, name: String = "x.json") -> ContentKind {
        ContentKind.detect(Array(text.utf8), isAll: isAll, name: name)
    }

    @Test(arguments: [
        "", "\n \n", #"{"resourceType":"Patient"}"#, #"{"resourceType":"Patient"}"# + "\n", "{}\n{}\n", "\n{}\n",
        // The first line is cut off or malformed, and others are resources.
        "{\"resourceType\":\"Patient\",\"id\":\"1\n{\"resourceType\":\"Patient\"}\n",
        "{\"resourceType\":\"Patient\",\"name\":[\n{\"resourceType\":\"Patient\"}\n{\"resourceType\":\"Patient\"}\n",
        "{\"resourceType\":\"Patient\",\"name\":[\n{\"resourceType\":\"Patient\"}\n", "x\n{\"resourceType\":\"Patient\"}",
        "}\n{\"resourceType\":\"Patient\"}",
    ]) func lines(_ text: String) { #expect(kind(text) == .lines) }

    @Test(arguments: [
        "{\n}", "\n{\n \"resourceType\":\"Patient\"\n}\n",
        // A contained resource on a line of its own makes no lines of a document.
        "{\"resourceType\":\"Patient\",\"contained\":[\n{\"resourceType\":\"Group\"}\n]}",
        // Malformed, and no line is a resource.
        "{\n\"resourceType\":\"Patient\"\n\"id\":1\n}", "{\n\"a\":{}\n{}",
    ]) func documents(_ text: String) { #expect(kind(text) == .document) }

    @Test func aLongBeginningIsADocumentUntilMoreIsKnown() {
        #expect(kind("{\"resourceType\":\"Bundle\",\"entry\":[{", isAll: false) == .document)
        #expect(kind("{\"resourceType\":\"Bundle\"}\n{\"res", isAll: false) == .lines)
    }

    @Test func someNamesSayIt() {
        #expect(kind("{\n}", name: "a.NDJSON") == .lines)
        #expect(kind("{\n}", name: "a.jsonl") == .lines)
    }
}

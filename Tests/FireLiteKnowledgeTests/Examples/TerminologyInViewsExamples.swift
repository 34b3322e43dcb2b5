// example FlatViews.md
import FireLiteKnowledge
// end
import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// The example of a terminology on the page FlatViews, between `// example` and `// end`.
@Suite struct TerminologyInViewsExamples {
    private func store() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { transaction in
            for json in [
                #"{"resourceType":"CodeSystem","url":"http://example.org/colors","status":"active","content":"complete","concept":[{"code":"red"},{"code":"blue"}]}"#,
                #"{"resourceType":"ValueSet","url":"http://example.org/warm","status":"active","compose":{"include":[{"system":"http://example.org/colors","concept":[{"code":"red"}]}]}}"#,
                #"{"resourceType":"Observation","id":"1","status":"final","code":{"coding":[{"system":"http://example.org/colors","code":"red"}]}}"#,
                #"{"resourceType":"Observation","id":"2","status":"final","code":{"coding":[{"system":"http://example.org/colors","code":"blue"}]}}"#,
            ] { try transaction.upsert(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
        }
        return store
    }

    @Test func codesAreAskedOfATerminology() async throws {
        let store = try store()
        // example FlatViews.md
        var terminology = Terminology(release: .r4)
        terminology.add(StoredDefinitions(store))
        let view = ViewDefinition(
            name: "warm", resource: "Observation",
            selects: [ViewDefinition.Select(columns: [ViewDefinition.Column(name: "id", path: "id")])],
            conditions: ["code.memberOf('http://example.org/warm')"])
        try store.forEachRow(of: view, terminology: terminology) { row in print(row.json) }
        // end
        var found: [String] = []
        try store.forEachRow(of: view, terminology: terminology) { found.append($0.json) }
        #expect(found == [#"{"id":"1"}"#])
        found = []
        for try await row in store.rows(view, terminology: terminology) { found.append(row.json) }
        #expect(found == [#"{"id":"1"}"#])
        var lines = Data()
        #expect(try store.writeRows(of: view, as: .ndjson, terminology: terminology) { lines += $0 } == 1)
        let other = try #require(try await store.resource(Observation.self, id: "2"))
        #expect(try view.rows(of: other, terminology: terminology).isEmpty)
        // Nobody to ask is an error, and no answer.
        #expect(throws: ViewError.self) { try store.forEachRow(of: view) { _ in } }
        #expect(throws: ViewError.self) { try store.createView(view) }
    }
}

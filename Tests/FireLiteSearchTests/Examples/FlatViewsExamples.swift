// example FlatViews.md
import FireLiteR4
import FireLiteSearch
// end
import Foundation
import Testing

/// The examples on the page FlatViews, between `// example` and `// end`.
@Suite struct FlatViewsExamples {
    private static func store() throws -> FHIRStore {
        try ViewStore.store([
            #"{"resourceType":"Patient","id":"1","active":true,"birthDate":"1970","name":[{"family":"Kim","given":["A","B"]}]}"#,
            #"{"resourceType":"Observation","id":"w","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},"subject":{"reference":"Patient/1"},"valueQuantity":{"value":70.50}}"#,
        ])
    }

    @Test func rows() async throws {
        let store = try Self.store()
        // example FlatViews.md
        let view = try ViewDefinition(
            json: Data(
                """
                {
                  "resourceType": "ViewDefinition", "name": "names", "resource": "Patient",
                  "select": [
                    {"column": [{"name": "id", "path": "id"}, {"name": "born", "path": "birthDate"}]},
                    {"forEach": "name", "column": [
                      {"name": "family", "path": "family"}, {"name": "given", "path": "given.join(' ')"}]}
                  ],
                  "where": [{"path": "active"}]
                }
                """.utf8))
        for try await row in store.rows(view) {
            print(row["family"], row.json)
        }
        // end
        var rows: [ViewRow] = []
        for try await row in store.rows(view) { rows.append(row) }
        #expect(rows.map(\.json) == [#"{"id":"1","born":"1970","family":"Kim","given":"A B"}"#])
        #expect(rows.map(\.csv) == ["1,1970,Kim,A B"])
        let patient = try await store.resource(Patient.self, id: "1")
        #expect(try patient.map { try view.rows(of: $0) } == rows)
    }

    @Test func viewsInTheFile() throws {
        let store = try Self.store()
        // example FlatViews.md
        let weights = ViewDefinition(
            name: "weights", resource: "Observation",
            selects: [
                ViewDefinition.Select(columns: [
                    ViewDefinition.Column(name: "patient", path: "subject.getReferenceKey(Patient)"),
                    ViewDefinition.Column(name: "kg", path: "value.ofType(Quantity).value"),
                ])
            ],
            conditions: ["code.coding.exists(system = 'http://loinc.org' and code = '29463-7')"])
        try weights.validate(for: .r4)
        // end
        // example FlatViews.md
        try store.createView(weights)
        try store.createStandardViews()
        let rows = try store.sql("SELECT p.family, w.kg FROM weights w JOIN patients p ON p.key = w.patient")
        // end
        #expect(rows.map(\.values) == [["Kim", 70.5]])
        var found: [String] = []
        try store.forEachRow(of: weights) { found.append($0.json) }
        #expect(found == [#"{"patient":"Patient/1","kg":70.50}"#])
        let sql = try store.sql(of: weights)
        #expect(sql.hasPrefix("SELECT "), "\(sql)")
    }
}

import FireLite
import FireLiteR4
import Foundation
import Testing

@testable import FireLiteSearch

struct PublishedViewTests {
    /// What is written as JSON is read as the same definition: each kind of part, iteration and constant.
    @Test func definitionsAreWrittenAsTheyAreRead() throws {
        let constants: [ViewDefinition.Constant] = [
            .init(name: "a", type: .boolean, literal: "true"), .init(name: "b", type: .decimal, literal: "1.50"),
            .init(name: "c", type: .string, literal: "\"quoted\"\n"), .init(name: "d", type: .date, literal: "1970-03"),
        ]
        let column = ViewDefinition.Column(name: "x", path: "id", type: "id")
        let many = ViewDefinition.Column(name: "y", path: "name.given", isCollection: true)
        let iterations: [ViewDefinition.Iteration] = [
            .once, .forEach("name"), .forEachOrNull("name"), .repeating(["item", "answer.item"]),
        ]
        for iteration in iterations {
            let view = ViewDefinition(
                name: "v", resource: "Patient", constants: constants,
                selects: [
                    .init(columns: [many]),
                    .init(iteration, selects: [.init(unionAll: [.init(columns: [column]), .init(columns: [column])])]),
                ],
                conditions: ["active", "gender = 'male'"])
            #expect(try ViewDefinition(json: Data(view.json.utf8)) == view)
        }
        for view in ViewDefinition.standard(for: .r4) { #expect(try ViewDefinition(json: Data(view.json.utf8)) == view) }
    }

    /// A column has one type, whether or not the file has values for it.
    @Test func typesDoNotDependOnWhatIsStored() throws {
        let empty = try FHIRStore(path: ":memory:", release: .r4)
        let full = try FHIRStore(path: ":memory:", release: .r4)
        try full.write { tx in
            try tx.add(
                Observation(
                    json: #"{"resourceType":"Observation","id":"o","status":"final","issued":"2015-02-07T13:28:17.239+02:00","#
                        + #""effectiveDateTime":"2015","valueQuantity":{"value":1.50,"unit":"kg"}}"#))
            try tx.add(Patient(json: #"{"resourceType":"Patient","id":"p","active":true,"birthDate":"1970","deceasedDateTime":"2020"}"#))
        }
        for view in ViewDefinition.standard(for: .r4) {
            let (one, other) = (try empty.published(view), try full.published(view))
            #expect(one.columns.map(\.type) == other.columns.map(\.type), "\(one.name)")
            #expect(one.columns.map(\.name) == view.columnNames && one.definition == other.definition)
        }
        let types = Dictionary(
            uniqueKeysWithValues: try empty.published(ViewDefinition.standard(for: .r4)[0]).columns.map { ($0.name, $0.type) })
        #expect(
            types["active"] == "boolean" && types["birth_date"] == "date" && types["deceased_date"] == "dateTime"
                && types["key"] == "string")
    }

    @Test func aViewWithoutANameOrAStatementIsRefused() throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let nameless = ViewDefinition(resource: "Patient", selects: [.init(columns: [.init(name: "id", path: "id")])])
        #expect(throws: ViewError.self) { try store.published(nameless) }
        try store.write { tx in try tx.add(Patient(json: #"{"resourceType":"Patient","name":[{"family":"A"}]}"#)) }
        let object = ViewDefinition(name: "o", resource: "Patient", selects: [.init(columns: [.init(name: "n", path: "name.first()")])])
        #expect(throws: ViewError.self) { try store.published(object) }
    }
}

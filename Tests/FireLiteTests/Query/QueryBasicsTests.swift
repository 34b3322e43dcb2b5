import FireLite
import FireLiteR4
import Foundation
import Testing

@Suite(.soundStores) struct QueryBasicsTests {
    private func store() throws -> FHIRStore {
        let store = try freshStore()
        try store.write { transaction in
            try transaction.upsert([
                Patient(
                    json: """
                        {"resourceType":"Patient","id":"a","birthDate":"1969-07-20","gender":"male",
                         "name":[{"family":"Chalmers","given":["Joseph","James"]},{"given":["Jim"]}],
                         "contained":[{"resourceType":"Medication","id":"m","code":{"text":"Aspirin"}}]}
                        """),
                Patient(
                    json: #"{"resourceType":"Patient","id":"b","birthDate":"1970","gender":"female","name":[{"given":["Josephine"]}]}"#),
                Patient(json: #"{"resourceType":"Patient","id":"c","name":[{"family":"Émile","given":["Joseph"]}]}"#),
            ])
            try transaction.upsert([
                Observation(
                    json: """
                        {"resourceType":"Observation","id":"o1","status":"final","subject":{"reference":"Patient/a"},
                         "code":{"coding":[{"system":"s","code":"x"},{"system":"t","code":"y"}]},
                         "effectiveDateTime":"2020-01-01T00:30:00+01:00","valueQuantity":{"value":5.50,"unit":"mg"}}
                        """),
                Observation(
                    json: """
                        {"resourceType":"Observation","id":"o2","status":"final","subject":{"reference":"Patient/b"},
                         "code":{"coding":[{"system":"s","code":"y"}]},"valueString":"five"}
                        """),
            ])
        }
        return store
    }

    @Test func valuesThroughLists() throws {
        let store = try store()
        let patients = store.query(Patient.self)
        #expect(try patients.where { $0.name.given == "Joseph" }.ids() == ["a", "c"])
        #expect(try patients.where { $0.name.given == "Joseph" && $0.birthDate < "1970-01-01" }.all().map(\.id) == ["a"])
        #expect(try patients.where { $0.name.given != "Joseph" }.ids() == ["b"])
        #expect(try patients.where { $0.gender == .female }.ids() == ["b"])
        #expect(try patients.where { $0.gender != .female }.ids() == ["a", "c"])
        #expect(try patients.where { $0.birthDate.isNil }.ids() == ["c"])
        #expect(try patients.where { $0.birthDate == nil || $0.birthDate > "1969-12" }.ids() == ["b", "c"])
        #expect(try patients.where { $0.name[1].given == "Jim" }.ids() == ["a"])
        #expect(try patients.where { $0.name.first.given == "Jim" }.ids() == [])
        #expect(try patients.where { $0.name.given[0] == "James" }.ids() == [])
        #expect(try patients.where { $0.name.count == 2 && $0.name.given.count == 3 }.ids() == ["a"])
        #expect(try patients.where { $0.name.given.in(["Jim", "Josephine"]) }.ids() == ["a", "b"])
        #expect(try patients.where { $0.name.family.hasPrefix("emi", .all) }.ids() == ["c"])
        #expect(try patients.where { $0.name.all { $0.family != nil } }.ids() == ["c"])
        #expect(try patients.where { $0.name.none { $0.family == "Chalmers" } }.ids() == ["b", "c"])
        #expect(try patients.where { $0.contained.of(Medication.self).code.text == "Aspirin" }.ids() == ["a"])
        #expect(try patients.where { $0.name.given.like("J%m") }.count() == 1)
    }

    @Test func conditionsOnOneElement() throws {
        let store = try store()
        let observations = store.query(Observation.self)
        #expect(try observations.where { $0.code.coding.system == "s" && $0.code.coding.code == "y" }.ids() == ["o1", "o2"])
        #expect(try observations.where { $0.code.coding.any { $0.system == "s" && $0.code == "y" } }.ids() == ["o2"])
        #expect(try observations.where { $0.valueQuantity.value > 5.4 }.ids() == ["o1"])
        #expect(try observations.where { $0.valueQuantity.value == 5.5 }.ids() == ["o1"])
        #expect(try observations.where { $0.value.isNil }.ids() == [])
        #expect(try observations.where { $0.effective == nil }.ids() == ["o2"])
        #expect(try observations.where { $0.effectiveDateTime < "2020" }.ids() == ["o1"])
    }

    @Test func referencesAreFollowed() throws {
        let store = try store()
        let patient = try #require(try store.resource(Patient.self, id: "a"))
        let observations = store.query(Observation.self)
        #expect(try observations.where { $0.subject.refers(to: patient) }.ids() == ["o1"])
        #expect(try observations.where { $0.subject.target(Patient.self).any { $0.birthDate < "1970" } }.ids() == ["o1"])
        let patients = store.query(Patient.self)
        #expect(
            try patients.where { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.valueString == "five" } }.ids() == ["b"])
        #expect(try patients.where { !$0.isReferred(from: Observation.self, by: { $0.subject }) }.ids() == ["c"])
    }

    @Test func elementsWithNamesOfOperations() throws {
        let store = try store()
        // `target`, `count` and `first` are elements here, and operations of paths elsewhere.
        #expect(try store.query(Provenance.self).where { $0.target.refers(to: Patient.self, id: "a") }.ids() == [])
        #expect(try store.query(MedicationRequest.self).where { $0.dosageInstruction.timing.repeat.count == 2 }.ids() == [])
        #expect(try store.query(FireLiteR4.Condition.self).where { $0.onsetAge.value.in(1...5) || $0.stage.count > 1 }.ids() == [])
        #expect(try store.query(Patient.self).where { $0.multipleBirthInteger.in(1...5) }.ids() == [])
        let date: FHIRDate = "1969-07-20"
        #expect(try store.query(Patient.self).where { $0.birthDate == date && $0.meta.lastUpdated == nil }.ids() == ["a"])
    }

    @Test func extensionsAreFoundByURL() throws {
        let store = try freshStore()
        try store.write { transaction in
            _ = try transaction.upsert(
                Patient(
                    json: """
                        {"resourceType":"Patient","id":"e","birthDate":"1990-01-01",
                         "_birthDate":{"extension":[{"url":"time","valueDateTime":"1990-01-01T10:00:00Z"}]},
                         "extension":[{"url":"race","extension":[{"url":"text","valueString":"x"}]},{"url":"sex","valueString":"y"}]}
                        """))
        }
        let patients = store.query(Patient.self)
        #expect(try patients.where { $0.extension.any { $0.url == "sex" && $0.valueString == "y" } }.count() == 1)
        // The extension in the extension is not one of the patient.
        #expect(try patients.where { $0.extension.any { $0.url == "text" } }.count() == 0)
        #expect(try patients.where { $0.extension.any { $0.url == "race" && $0.extension.valueString == "x" } }.count() == 1)
        #expect(try patients.where { $0.birthDate.element(Element.self).extension.any { $0.valueDateTime > "1990" } }.count() == 0)
        #expect(try patients.where { $0.birthDate.element(Element.self).extension.any { $0.valueDateTime >= "1990" } }.count() == 1)
    }

    @Test func sortingAndPaging() throws {
        let store = try store()
        let patients = store.query(Patient.self)
        #expect(try patients.sort { $0.birthDate.descending }.ids() == ["b", "a", "c"])
        #expect(try patients.sort { $0.birthDate.ascending }.ids() == ["a", "b", "c"])
        #expect(try patients.sort { $0.birthDate.ascending(nulls: .first) }.ids() == ["c", "a", "b"])
        #expect(try patients.sort { [$0.gender.ascending, $0.id.descending] }.limit(2).offset(1).ids() == ["a", "c"])
        #expect(try patients.sort { $0.name.given.ascending }.ids() == ["a", "c", "b"])
        var pages = patients.sort { $0.birthDate.ascending }.pages(of: 1)
        var seen: [String] = []
        while let page = try pages.next() { seen += page.compactMap(\.id) }
        #expect(seen == ["a", "b", "c"])
    }

    @Test func theStatementIsAsDocumented() throws {
        let store = try store()
        let sql = try store.query(Patient.self).where { $0.name.given == "Joseph" }.sql
        #expect(
            sql.text == """
                SELECT r._k FROM "Patient" r WHERE (r._parent IS NULL AND r._k IN (SELECT t1._k & -16777216 FROM "Patient_name_given" t1 \
                WHERE t1."value" = ?)) ORDER BY r._k
                """)
        #expect(sql.arguments == [.text("Joseph")])
    }
}

import FireLiteR4
import Foundation
import Testing

@testable import FireLite

@Suite(.soundStores) struct IndexTests {
    private func observation(_ id: Int, code: String, subject: Int) -> Observation {
        Observation {
            $0.id = "o\(id)"
            $0.status = .final
            $0.code = CodeableConcept {
                $0.coding = [
                    Coding {
                        $0.system = "s"; $0.code = code
                    }
                ]
            }
            $0.subject = Reference { $0.reference = "Patient/p\(subject)" }
            $0.effectiveDateTime = FHIRDateTime("2020-01-\(id % 28 < 9 ? "0" : "")\(id % 28 + 1)")
        }
    }

    private func filled() throws -> FHIRStore {
        let store = try freshStore()
        try store.write { _ = try $0.upsert((0..<500).map { observation($0, code: "c\($0 % 50)", subject: $0 % 20) }) }
        return store
    }

    @Test func aNestedIndexLeadsToTheResources() throws {
        let store = try filled()
        let query = store.query(Observation.self).where { $0.code.coding.code == "c7" }
        let before = try query.ids()
        #expect(!(try query.explain()).contains("Observation_code_coding__code"))
        let index = try store.createIndex(Observation.self) { $0.code.coding.code }
        #expect(index.name == "Observation_code_coding__code" && index.isBuilt)
        #expect(try query.ids() == before && before.count == 10)
        #expect(try query.explain().contains("USING COVERING INDEX Observation_code_coding__code (code=?)"))
        try store.dropIndex(Observation.self) { $0.code.coding.code }
        #expect(try store.indexes().isEmpty)
        #expect(try query.ids() == before)
    }

    @Test func theRarerConditionLeads() throws {
        let store = try filled()
        try store.createIndex(Observation.self) { $0.code.coding.code }
        try store.createIndex(Observation.self) { $0.subject.reference }
        let query = store.query(Observation.self).where { $0.subject.reference == "Patient/p3" && $0.code.coding.code == "c3" }
        #expect(try query.sql.text.contains(#"+r."subject_reference" = ?"#))
        #expect(try query.ids() == ["o3", "o103", "o203", "o303", "o403"])
    }

    @Test func aSortOfAllByValuesInOtherRowsReadsResourcesInTheOrderOfTheirKeys() throws {
        let store = try filled()
        let expected = (0..<500).sorted { ("c\($0 % 50)", $0) < ("c\($1 % 50)", $1) }.map { "o\($0)" }
        let query = store.query(Observation.self).sort { $0.code.coding.code.ascending }
        #expect(try query.sql.text.contains("NOT INDEXED") && !query.explain().contains("USING COVERING INDEX"))
        #expect(try query.ids() == expected)
        #expect(try query.limit(20).ids() == Array(expected.prefix(20)))
        // A condition may have an index, and so may the result's own column.
        #expect(try !query.where { $0.subject.reference == "Patient/p3" }.sql.text.contains("NOT INDEXED"))
        #expect(try !store.query(Observation.self).sort { $0.id.ascending }.sql.text.contains("NOT INDEXED"))
    }

    @Test func anIndexComesWithItsColumn() throws {
        let store = try freshStore()
        #expect(try !store.createIndex(Observation.self) { ($0.status, $0.effectiveDateTime) }.isBuilt)
        try store.createIndexes(.references, for: Observation.self)
        try store.write { _ = try $0.upsert(observation(1, code: "a", subject: 2)) }
        #expect(try store.indexes().first { $0.kind == .values }?.isBuilt == true)
        let names = try store.sql("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY 1").compactMap(\.values[0].text)
        #expect(names.contains("Observation__status__effectiveDateTime") && names.contains("Observation__subject_reference"))
        #expect(try store.query(Observation.self).where { $0.status == .final && $0.effectiveDateTime < "2021" }.count() == 1)
        try store.dropIndexes(.references, for: Observation.self)
        #expect(try !store.sql("SELECT name FROM sqlite_master").map(\.values[0]).contains("Observation__subject_reference"))
    }

    @Test func aRolledBackIndexIsGone() throws {
        let store = try filled()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.write { transaction in
                let layout = Observation._layout
                let slot = try #require(layout.element(named: "status")).slot
                _ = try transaction.createIndex([QueryPath([PathStep(slot: slot)])], layout, nil)
                throw Stop()
            }
        }
        #expect(try store.indexes().isEmpty)
        #expect(try store.query(Observation.self).where { $0.status == .final }.count() == 500)
    }

    @Test func buildingCanBeCancelled() throws {
        let store = try freshStore()
        try store.write { _ = try $0.upsert((0..<20_000).map { observation($0, code: "c\($0)", subject: $0) }) }
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try store.createIndex(Observation.self, progress: { _ in throw Enough() }) { $0.code.coding.code }
        }
        #expect(try store.indexes().isEmpty)
        var progress: [StoreProgress] = []
        try store.createIndex(Observation.self, progress: { progress.append($0) }) { $0.code.coding.code }
        #expect(progress.count > 2 && progress.map(\.completed) == progress.map(\.completed).sorted())
        #expect(progress.allSatisfy { $0.total == 20_000 && $0.unit == .rows && $0.subject == "Observation_code_coding__code" })
        #expect(progress.last?.completed == 20_000 && progress.dropLast().allSatisfy { $0.fraction.map { $0 < 1 } ?? false })
    }

    @Test(.enabled(if: !Library.hasFullText, "needs a library without FTS5")) func withoutFTS5ItSaysSo() throws {
        let store = try freshStore()
        let error = #expect(throws: FHIRStoreError.self) { try store.createFullTextIndex(Patient.self) { [$0.name.family] } }
        #expect(error?.code == .invalidArgument && error?.message.contains("no FTS5") == true)
        try expectSound(store)
    }

    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func fullTextFindsWordsPrefixesAndPhrases() throws {
        let store = try freshStore()
        let patients = store.query(Patient.self)
        func add(_ id: String, _ given: [String], _ family: String) throws {
            try store.write { transaction in
                _ = try transaction.upsert(
                    Patient {
                        $0.id = id;
                        $0.name = [
                            HumanName {
                                $0.given = given; $0.family = family
                            }
                        ]
                    })
            }
        }
        try add("a", ["Joséphine", "Mary"], "Chalmers")
        #expect(throws: FHIRStoreError.self) { try patients.where { $0.matching("jos*") }.ids() }
        try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] }
        try add("b", ["Peter"], "Josten")
        try add("c", ["Ann"], "Smith")
        #expect(try patients.where { $0.matching("jos*") }.ids() == ["a", "b"])
        #expect(try patients.matching("chalm* mary").ids() == ["a"])
        #expect(try patients.where { $0.matching("OR \"x") }.ids() == [])
        try add("b", ["Peter"], "Miller")
        #expect(try patients.where { $0.matching("jos*") }.ids() == ["a"])
        try patients.where { $0.id == "a" }.delete()
        #expect(try patients.where { $0.matching("jos*") || $0.matching("miller") }.ids() == ["b"])
        try store.dropFullTextIndex(Patient.self)
        #expect(throws: FHIRStoreError.self) { try patients.where { $0.matching("ann") }.ids() }
        try add("d", ["Eve"], "Miller")
        #expect(try patients.count() == 3)
    }

    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func aFullTextIndexOfAnEmptyStoreIsFilledAfterReopening() throws {
        let store = try freshStore(isInFile: true)
        try store.createFullTextIndex(Patient.self) { [$0.name.family] }
        let reopened = try FHIRStore(path: store.path, release: .r4)
        try reopened.write { tx in try tx.add(Patient { $0.name = [HumanName { $0.family = "Chalmers" }] }) }
        #expect(try reopened.query(Patient.self).matching("chalmers").count() == 1)
    }
}

import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

struct QueryShorthandTests {
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore(path: ":memory:", release: .r4)
        try store.write { tx in
            for (id, active, date) in [("1", true, "1980"), ("2", false, "1970-02"), ("3", nil, nil), ("4", true, "1990-01-01")]
                as [(String, Bool?, FHIRDate?)]
            {
                try tx.add(
                    Patient {
                        $0.id = id
                        $0.active = active
                        $0.birthDate = date
                    })
            }
            for (id, code, value, day) in [
                ("a", "x", 1.5, "2020-01-01"), ("b", "x", 2.5, "2020-01-03"), ("c", "y", 10, "2020-01-02"), ("d", "y", nil, "2020-01-05"),
            ] as [(String, String, FHIRDecimal?, String)] {
                try tx.add(
                    Observation {
                        $0.id = id
                        $0.status = .final
                        $0.code = CodeableConcept(Coding("http://s", code), Coding("http://t", code))
                        $0.effectiveDateTime = FHIRDateTime(day)
                        if let value { $0.valueQuantity = Quantity(value, "kg") }
                    })
            }
        }
    }

    @Test func keyPathsSort() throws {
        #expect(try store.query(Patient.self).sort(\.birthDate).ids() == ["2", "1", "4", "3"])
        #expect(try store.query(Patient.self).sort(\.birthDate, .reverse).ids() == ["4", "1", "2", "3"])
        #expect(try store.query(Observation.self).sort(\.valueQuantity.value, .reverse).ids() == ["c", "b", "a", "d"])
    }

    @Test func truthValuesAreConditions() throws {
        func ids(_ query: FHIRQuery<Patient>) throws -> [String] { try query.ids() }
        let patients = store.query(Patient.self)
        #expect(try ids(patients.where { $0.active }) == ["1", "4"])
        #expect(try ids(patients.where { !$0.active }) == ["2", "3"])
        #expect(try ids(patients.where { $0.active && $0.birthDate < "1985" }) == ["1"])
        #expect(try ids(patients.where { $0.birthDate == nil || $0.active }) == ["1", "3", "4"])
        #expect(try ids(patients.where { $0.active == false }) == ["2"])
        #expect(try ids(patients.where(\.active)) == ["1", "4"])
    }

    @Test func theFirstThatMeetsAConditionIsFound() throws {
        #expect(try store.query(Patient.self).sort(\.birthDate).first(where: { $0.active == true })?.id == "1")
        #expect(try store.query(Patient.self).first(where: { $0.id == "9" }) == nil)
    }

    @Test func asynchronousFormsSayTheSame() async throws {
        let observations = store.query(Observation.self)
        #expect(try await observations.sum { $0.valueQuantity.value } == 14)
        #expect(try await observations.average { $0.valueQuantity.value } == 14.0 / 3)
        #expect(try await observations.count(distinct: { $0.code.coding.code }) == 2)
        #expect(try await observations.first(where: { $0.id == "b" })?.id == "b")
        let (count, most) = try await observations.aggregates { ($0.count, $0.max { $0.valueQuantity.value }) }
        #expect(count == 4 && most == 10)
        let groups = try await observations.group(by: { $0.code.coding.code }) { ($0.count, $0.average { $0.valueQuantity.value }) }
        #expect(groups.map { $0.key } == ["x", "y"] && groups.map { $0.values.0 } == [2, 2] && groups.map { $0.values.1 } == [2, 10])
        #expect(try await store.deleteAll(Observation.self) == 4)
    }

    @Test func figuresAreThoseOfTheValues() throws {
        let observations = store.query(Observation.self)
        #expect(try observations.sum { $0.valueQuantity.value } == 14)
        #expect(try observations.average { $0.valueQuantity.value } == 14.0 / 3)
        #expect(try observations.count(distinct: { $0.code.coding.code }) == 2)
        #expect(try observations.limit(2).sum { $0.valueQuantity.value } == 4)
        #expect(try observations.where { $0.id == "d" }.sum { $0.valueQuantity.value } == 0)
        #expect(try observations.where { $0.id == "d" }.average { $0.valueQuantity.value } == nil)
        // Nothing of the type was ever stored.
        #expect(try store.query(Condition.self).count(distinct: { $0.code.coding.code }) == 0)
        let (count, most, last) = try observations.aggregates {
            ($0.count, $0.max { $0.valueQuantity.value }, $0.max { $0.effectiveDateTime })
        }
        #expect(count == 4 && most == 10 && last?.literal == "2020-01-05")
    }

    @Test func groupsHaveSeveralFigures() throws {
        let groups = try store.query(Observation.self).group(by: { $0.code.coding.code }) {
            ($0.count, $0.average { $0.valueQuantity.value }, $0.min { $0.effectiveDateTime })
        }
        #expect(groups.map { $0.key } == ["x", "y"])
        // Each observation has the code twice, and counts once.
        #expect(groups.map { $0.values.0 } == [2, 2])
        #expect(groups.map { $0.values.1 } == [2, 10])
        #expect(groups.map { $0.values.2?.literal } == ["2020-01-01", "2020-01-02"])
        let one = try store.query(Observation.self).where { $0.id != "a" }.group(by: { $0.code.coding.code }) { $0.count }
        #expect(one.map { $0.key } == ["y", "x"] && one.map { $0.values } == [2, 1])
    }

    @Test func allOfATypeAreDeleted() throws {
        #expect(try store.deleteAll(Observation.self) == 4)
        #expect(try store.query(Observation.self).count() == 0 && store.query(Patient.self).count() == 4)
        #expect(try store.write { tx in try tx.deleteAll(Patient.self) } == 4)
        #expect(try store.deleteAll(Patient.self) == 0)
    }
}

import FireLite
import FireLiteR4
import Foundation
import Testing

/// The examples of Queries.md.
@Suite struct QueriesExamples {
    private let store: FHIRStore

    init() throws {
        store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "1"
                    $0.name = [
                        HumanName {
                            $0.given = ["Joseph"]; $0.family = "James"
                        }, HumanName { $0.text = "Joe" },
                    ]
                    $0.birthDate = "1969-05"
                    $0.gender = .male
                    $0.maritalStatus = CodeableConcept { $0.text = "Married" }
                })
            try tx.add(
                Patient {
                    $0.id = "2"; $0.birthDate = "1980-12-31"
                })
            try tx.add(
                Observation {
                    $0.id = "a"
                    $0.status = .final
                    $0.code = CodeableConcept {
                        $0.coding = [
                            Coding {
                                $0.system = "http://loinc.org"; $0.code = "8867-4"
                            }
                        ]
                    }
                    $0.subject = Reference { $0.reference = "Patient/1" }
                    $0.valueQuantity = Quantity { $0.value = 5.5 }
                    $0.contained = [Medication { $0.code = CodeableConcept { $0.text = "Aspirin" } }]
                })
        }
    }

    @Test func resources() throws {
        // example Queries.md
        let joeys = try store.query(Patient.self)
            .where { $0.name.given == "Joseph" && $0.birthDate < "1970-01-01" }
            .sort { $0.birthDate.descending }.limit(50).all()
        // end
        #expect(joeys.map(\.id) == ["1"])
    }

    @Test func sequences() async throws {
        // example Queries.md
        for try await page in store.query(Patient.self).sort({ $0.birthDate.ascending }).pages(of: 50) { print(page.count) }
        for try await patient in store.query(Patient.self).results(fetching: 100) { print(patient.id ?? "") }
        // end
    }

    @Test func rows() async throws {
        // example Queries.md
        for try await row in store.rows("SELECT id FROM Patient WHERE gender = ?", arguments: ["female"]) {
            print(row["id"].text ?? "")
        }
        // end
    }

    @Test func valuesAndCounts() throws {
        // example Queries.md
        for (id, birthDate) in try store.query(Patient.self).values(\.id, \.birthDate) { print(id ?? "", birthDate ?? "") }
        let rows = try store.query(Observation.self).values { ($0.subject.reference, $0.code.coding.code) }
        let codes = try store.query(Observation.self).counts { $0.code.coding.code }
        // end
        #expect(rows.count == 1 && rows[0].0 == "Patient/1" && rows[0].1 == "8867-4")
        #expect(codes.count == 1 && codes[0].value == "8867-4" && codes[0].count == 1)
    }

    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func indexes() throws {
        // example Queries.md
        try store.createIndex(Observation.self) { $0.code.coding.code }
        try store.createIndex(Observation.self) { ($0.status, $0.effectiveDateTime) }  // several columns of one row
        try store.createIndexes(.references)  // a set: for all types and data to come
        try store.createIndexes(.codes, for: Observation.self) { print($0.completed, "of", $0.total ?? 0) }  // its progress
        // end
        #expect(try store.indexes().count == 4)
        try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] }
        #expect(try store.query(Patient.self).where { $0.matching("jos* \"peter james\"") }.count() == 0)
        #expect(try store.query(Patient.self).matching("jos* james").count() == 1)
    }

    private func patients(_ condition: (ElementPath<Patient>) -> QueryCondition) throws -> Int {
        try store.query(Patient.self).where(condition).count()
    }

    private func observations(_ condition: (ElementPath<Observation>) -> QueryCondition) throws -> Int {
        try store.query(Observation.self).where(condition).count()
    }

    @Test func conditionsOnPatients() throws {
        let url = "http://example.org/precision"
        #expect(try patients { $0.maritalStatus.text == "Married" } == 1)
        #expect(try patients { $0.name[0].family == "James" } == 1)
        #expect(try patients { $0.name.first.family == "James" } == 1)
        #expect(try patients { $0.name.count >= 2 } == 1)
        #expect(try patients { $0.birthDate.element(Element.self).extension.any { $0.url == url } } == 0)
        #expect(try patients { $0.birthDate.in("1970"..."1980") } == 1)
        #expect(try patients { $0.birthDate.between("1970", "1980") } == 1)
        #expect(try patients { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.status == .final } } == 1)
        #expect(try patients { $0.name.given.any { $0 != "Joseph" } } == 0)
        #expect(try patients { $0.birthDate.overlapping == "1980-12" } == 1)
        #expect(try store.query(Bundle.self).where { $0.entry.resource.of(Patient.self).active == true }.count() == 0)
    }

    @Test func conditionsOnObservations() throws {
        let loinc = "http://loinc.org"
        let patient = try #require(try store.resource(Patient.self, id: "1"))
        #expect(try observations { $0.contained.of(Medication.self).code.text == "Aspirin" } == 1)
        #expect(try observations { $0.valueQuantity.value > 5.4 } == 1)
        #expect(try observations { $0.value == nil } == 0)
        #expect(try observations { $0.code.coding.any { $0.system == loinc && $0.code == "8867-4" } } == 1)
        #expect(try observations { $0.status.in([.final, .amended]) } == 1)
        #expect(try observations { $0.subject.refers(to: patient) } == 1)
        #expect(try observations { $0.subject.refers(to: Patient.self, id: "1") } == 1)
        #expect(try observations { $0.subject.target(Patient.self).any { $0.birthDate < "1970" } } == 1)
        #expect(try observations { $0.subject.reference == "https://example.org/fhir/Patient/1" } == 0)
    }

    /// The compiler gives up on some of these as arguments of type `Any`, so their rows are in constants: see `FHIRQuery+Tuples.swift`.
    @Test func projectionsAreArguments() throws {
        func described(_ items: Any...) -> String { "\(items)" }
        let two = try store.query(Patient.self).values(\.id, \.birthDate)
        let three = try store.query(Patient.self).values(\.id, \.birthDate, \.gender)
        let twoPaths = try store.query(Patient.self).values { ($0.id, $0.name.family) }
        #expect(described(two.count) == "[2]" && described(three.count, 1) == "[2, 1]" && described(twoPaths.count) == "[2]")
        #expect("\(try store.query(Patient.self).values(\.id, \.birthDate).count)" == "2")
        #expect(try store.query(Patient.self).values(\.id, \.birthDate).compactMap(\.0) == ["1", "2"])
        #expect(described(try store.query(Patient.self).values(\.id).count) == "[2]")
        #expect(described(try store.query(Patient.self).values { $0.name.family }.count) == "[2]")
        let eight = try store.query(Patient.self).values(
            \.id, \.birthDate, \.gender, \.active, \.language, \.implicitRules, \.multipleBirthInteger, \.deceasedBoolean)
        #expect(eight.count == 2 && eight[0].0 == "1" && eight[0].2 == .male && eight[1].7 == nil)
        let paths = try store.query(Patient.self).values {
            ($0.id, $0.birthDate, $0.gender, $0.active, $0.name.given, $0.name.family, $0.maritalStatus.text, $0.meta.versionId)
        }
        #expect(paths[0].4 == "Joseph" && paths[0].6 == "Married")
        let nine = try store.query(Patient.self).values {
            (
                $0.id, $0.birthDate, $0.gender, $0.active, $0.name.given, $0.name.family, $0.maritalStatus.text, $0.meta.versionId,
                $0.language
            )
        }
        #expect(nine.map(\.4) == paths.map(\.4) && nine[0].8 == nil)
    }

    @Test func basesAreTold() throws {
        // example Queries.md
        try store.addBase("https://example.org/fhir")
        let isOurs = try store.bases().contains("https://example.org/fhir")
        // end
        #expect(isOurs)
    }

    @Test func datesAreInRanges() throws {
        #expect(try patients { $0.birthDate.in("1969"..."1980") } == 2)
        #expect(try patients { $0.birthDate.in("1969"..<"1980") } == 1)
        #expect(try patients { $0.birthDate.in("1969-05"..."1969-05") } == 1)
        #expect(try patients { $0.birthDate.in("1969-05-02"..."1980") } == 1)
        let (start, end) = (Date(timeIntervalSince1970: -20_000_000), Date(timeIntervalSince1970: 0))
        #expect(try patients { $0.birthDate.in(FHIRDate(year: 1969).map { QueryDate($0) }!..."1970") } == 1)
        #expect(try patients { $0.birthDate.in(start...end) } == 0)
        #expect(try patients { $0.birthDate.in(start.addingTimeInterval(-5_000_000)..<end) } == 1)
    }

    @Test func severalAggregates() throws {
        // example Queries.md
        let (count, mean) = try store.query(Observation.self).aggregates { ($0.count, $0.average { $0.valueQuantity.value }) }
        let groups = try store.query(Observation.self).group(by: { $0.code.coding.code }) {
            ($0.count, $0.average { $0.valueQuantity.value }, $0.max { $0.effectiveDateTime })
        }
        for group in groups { print(group.key, group.values.0, group.values.1 ?? 0) }
        // end
        #expect(count == (try store.query(Observation.self).count()))
        #expect(groups.reduce(0) { $0 + $1.values.0 } == count && (mean == nil) == groups.allSatisfy { $0.values.1 == nil })
        let inactive = try store.query(Patient.self).where { !$0.active }.count()
        #expect(try inactive + store.query(Patient.self).where { $0.active }.count() == store.query(Patient.self).count())
    }
}

import FireLite
import FireLiteR4
import Foundation
import Testing

// example MigratingFromFireKit.md
extension Patient {
    func upsert(managingOrganization reference: Reference?) { upsert(\.managingOrganization, to: reference) }
}
// end

/// The examples of MigratingFromFireKit.md, MigratingFromGRDB.md and MigratingFromFHIRModels.md.
@Suite struct MigrationExamples {
    @Test func objects() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            // example MigratingFromFireKit.md
            let store = try FHIRStore(path: path, release: .r4)
            let patient = Patient {
                $0.id = "123"
                $0.name = [
                    HumanName {
                        $0.family = "Baloney"; $0.given = ["Joey"]
                    }
                ]
            }
            try store.write { tx in try tx.add(patient) }
            // end

            // example MigratingFromFireKit.md
            try store.write { _ in
                patient.name[0].given[0] = "Joseph"
                patient.active = true
                patient.birthDate = "1970-03"
            }
            // end
            #expect(try store.resource(Patient.self, id: "123")?.birthDate == "1970-03")

            let incoming = [Patient { $0.id = "123" }, Patient { $0.id = "124" }]
            // example MigratingFromFireKit.md
            let joey = try store.resource(Patient.self, id: "123")!
            let twin = joey.copy()
            twin.name[0].given[0] = "Joe"
            try store.write { _ in try joey.populate(from: twin) }
            let result = try store.write { tx in try tx.upsert(incoming) }
            print(result.added, result.updated, result.unchanged)
            // end
            #expect(twin.name[0].given == ["Joe"] && result.added == 1 && result.updated == 1)
            patient.copy().upsert(managingOrganization: Reference { $0.display = "A" })
        }
    }

    private func filled() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            try tx.add(
                Patient {
                    $0.id = "123"; $0.gender = .female; $0.active = true; $0.birthDate = "1969-05-01"
                    $0.name = [
                        HumanName {
                            $0.given = ["Joseph"]; $0.text = "Joe"
                        }, HumanName { $0.use = .usual },
                    ]
                })
            try tx.add(
                Patient {
                    $0.id = "2"; $0.gender = .male; $0.name = [HumanName { $0.use = .old }]
                })
            try tx.add(
                Observation {
                    $0.id = "a"; $0.status = .final; $0.effectiveDateTime = "2020-06-01T00:00:00Z"
                    $0.subject = Reference { $0.reference = "Patient/123" }
                    $0.code = CodeableConcept {
                        $0.text = "Heart rate"
                        $0.coding = [
                            Coding {
                                $0.system = "http://loinc.org"; $0.code = "8867-4"
                            }
                        ]
                    }
                })
        }
        return store
    }

    @Test func queries() throws {
        let store = try filled()
        // example MigratingFromFireKit.md
        let heartRates = try store.query(Observation.self)
            .where { $0.subject.refers(to: Patient.self, id: "123") && $0.code.coding.code == "8867-4" }
            .sort { $0.effectiveDateTime.descending }
            .limit(50)
            .all()
        // end
        #expect(heartRates.map(\.id) == ["a"])
    }

    /// Each condition of the table of predicates finds what its predicate would.
    @Test func conditionsOnPatients() throws {
        let store = try filled()
        func ids(_ condition: (ElementPath<Patient>) -> QueryCondition) throws -> [String] {
            try store.query(Patient.self).where(condition).ids()
        }
        #expect(try ids { $0.id == "123" } == ["123"])
        #expect(try ids { $0.gender != .male } == ["123"])
        #expect(try ids { $0.gender.in([.female, .other]) } == ["123"])
        #expect(try ids { $0.active == true && $0.gender == .female } == ["123"])
        #expect(try ids { $0.id == "1" || $0.id == "2" } == ["2"])
        #expect(try ids { !($0.gender == .male) } == ["123"])
        #expect(try ids { $0.birthDate == nil } == ["2"])
        #expect(try ids { $0.birthDate < "1970" } == ["123"])
        #expect(try ids { $0.birthDate.in("1970"..."1979") } == [])
        #expect(try ids { $0.name.text == "Joe" } == ["123"])
        #expect(try ids { $0.name.given == "Joseph" } == ["123"])
        #expect(try ids { $0.name.none { $0.use == .old } } == ["123"])
        #expect(try ids { $0.name.count >= 2 } == ["123"])
        #expect(try ids { $0.name.text.hasPrefix("Jo") } == ["123"])
        #expect(try store.query(Patient.self).sort { $0.id.descending }.ids() == ["2", "123"])
        try store.createIndex(Patient.self) { $0.birthDate }
        try store.createIndex(Observation.self) { $0.code.coding.code }
        #expect(try ids { $0.birthDate < "1970" } == ["123"])
        try store.write { tx in try tx.delete(tx.query(Patient.self)) }
        #expect(try store.count(Patient.self) == 0)
    }

    @Test func conditionsOnObservations() throws {
        let store = try filled()
        let loinc = "http://loinc.org"
        func count(_ condition: (ElementPath<Observation>) -> QueryCondition) throws -> Int {
            try store.query(Observation.self).where(condition).count()
        }
        #expect(try count { $0.effectiveDateTime >= "2020-01-01T00:00:00Z" } == 1)
        #expect(try count { $0.code.coding.code == "8867-4" } == 1)
        #expect(try count { $0.code.coding.any { $0.system == loinc && $0.code == "8867-4" } } == 1)
        #expect(try count { $0.code.text.contains("heart", .ignoringCase) } == 1)
        #expect(try count { $0.subject.refers(to: Patient.self, id: "123") } == 1)
        #expect(try count { $0.subject.target(Patient.self).any { $0.birthDate < "1970" } } == 1)
    }

    @Test func threads() async throws {
        let store = try filled()
        // example MigratingFromFireKit.md
        let count = try await store.read { tx in try tx.query(Observation.self).count() }
        let pks = try await store.query(Patient.self).pks()
        // end
        #expect(count == 1 && pks.count == 2)
    }

    @Test(.enabled(if: Library.hasFullText, "needs FTS5")) func jsonColumns() throws {
        let store = try filled()
        let reader = FHIRJSONReader(release: .r4)
        let column = [Data(#"{"resourceType":"Patient","id":"x"}"#.utf8), Data(#"{"resourceType":"Patient","id":"2"}"#.utf8)]
        // example MigratingFromGRDB.md
        let result = try store.write { tx in
            for json in column {
                let resource = try reader.resource(from: json)
                try tx.upsert([resource])
            }
            return try tx.count(Patient.self)
        }
        // end
        #expect(result == 3)
        try store.createFullTextIndex(Patient.self) { [$0.name.given, $0.name.family] }
    }

    @Test func models() throws {
        let data = Data(#"{"resourceType":"Patient","name":[{"given":["Joey"]}],"birthDate":"1970-03-30"}"#.utf8)
        // example MigratingFromFHIRModels.md
        let patient = try FHIRJSON.decode(FireLiteR4.Patient.self, from: data)
        let given = patient.name.first?.given.first
        let day = patient.birthDate?.date
        let json = FHIRJSON.data(patient)
        // end
        #expect(given == "Joey" && day != nil && json == data)
        #expect(try FHIRJSONReader(release: .r4).resource(from: data) as? Patient == patient)
    }
}

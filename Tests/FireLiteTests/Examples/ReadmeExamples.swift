import FireLite
import FireLiteR4
import Foundation
import Testing

/// The README's examples, one after another.
@Suite struct ReadmeExamples {
    private static let source = #"""
        {"resourceType":"Patient","id":"123","gender":"male","name":[{"use":"official","family":"Chalmers","given":["Peter","James"]}],
        "generalPractitioner":[{"reference":"Practitioner/p1"}],"managingOrganization":{"reference":"Organization/o1"}}
        """#

    @Test func firstScreen() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            let source = Data(
                #"""
                {"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},
                "subject":{"reference":"Patient/123"},"effectiveDateTime":"2026-03-01T08:30:00Z","valueQuantity":{"value":72,"unit":"/min"}}
                """#.utf8)

            // example README.md
            let store = try FHIRStore(path: path, release: .r4)  // one SQLite file, created if it is missing

            // FHIR JSON becomes an object, and a stored object is managed.
            let pulse = try FHIRJSON.decode(Observation.self, from: source)
            try store.write { tx in try tx.add(pulse) }

            // A change inside a write is saved. If the block throws, the file and the object stay as they were.
            try store.write { _ in
                pulse.valueQuantity?.value = 74
                pulse.note.append(Annotation { $0.text = "after a short walk" })
            }

            // The compiler checks every path and every value of a query.
            let recent = try store.query(Observation.self)
                .where { $0.subject.reference == "Patient/123" && $0.code.coding.code == "8867-4" }
                .sort { $0.effectiveDateTime.descending }
                .limit(10)
                .all()
            for observation in recent {
                print(observation.effectiveDateTime!, observation.valueQuantity?.value ?? 0, observation.note.map(\.text!))
            }

            // An index changes how fast a query is, never what it finds.
            try store.createIndex(Observation.self) { $0.code.coding.code }

            // The file is ordinary SQLite: SQL works here and in any other client.
            for row in try store.sql("SELECT subject_reference, avg(valueQuantity_value) AS mean FROM Observation GROUP BY 1") {
                print(row["subject_reference"].text ?? "", row["mean"].double ?? 0)
            }
            // end
            #expect(recent.map(\.id) == ["o1"] && recent[0] == pulse)
            let mean = try store.sql("SELECT avg(valueQuantity_value) AS mean FROM Observation")[0]["mean"].double
            #expect(mean == 74)
            #expect(try store.resource(Observation.self, id: "o1")?.note.map(\.text) == ["after a short walk"])
            #expect(try store.indexes().count == 1)
            try expectSound(store)
        }
    }

    @Test func tour() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            let data = Data(Self.source.utf8)

            // example README.md
            let patient = try FHIRJSON.decode(Patient.self, from: data)
            patient.name[0].given.append("Lee")
            patient.birthDate = "1970-03"
            let json = FHIRJSON.data(patient)
            // end
            #expect(try FHIRJSON.decode(Patient.self, from: json) == patient)

            // example README.md
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.add(patient) }
            // end

            // example README.md
            try store.write { _ in
                patient.name[0].given[0] = "Joseph"
                patient.name[0].family = "Balogna"
                patient.name.append(HumanName { $0.text = "Joe" })
            }
            // end
            #expect(try store.resource(Patient.self, id: "123")?.name.map(\.family) == ["Balogna", nil])

            // example README.md
            var configuration = FHIRStore.Configuration()
            configuration.access = .readOnly
            let archive = try FHIRStore(path: path, release: .r4, configuration: configuration)
            // end
            #expect(try archive.count(Patient.self) == 1)
            let refusal = #expect(throws: FHIRStoreError.self) { try archive.write { tx in try tx.add(Patient()) } }
            #expect(refusal?.code == .readOnly)

            let practitioner = Practitioner { $0.id = "p1" }
            try store.write { tx in try tx.add(practitioner) }
            // example README.md
            let joey = try store.resource(Patient.self, id: "123")
            let sameJoey = try store.resource(Patient.self, pk: joey!.pk)
            let doctor = try patient.generalPractitioner[0].resolve(in: store) as? Practitioner
            // end
            #expect(sameJoey == joey)
            #expect(doctor == practitioner)

            let incoming = [Observation { $0.id = "old" }, Observation { $0.id = "new" }]
            // example README.md
            let stored = try store.write { tx in try tx.upsert(incoming[0]) }
            let result = try store.write { tx in try tx.upsert(incoming) }
            print(result.added, result.updated, result.unchanged)
            // end
            #expect(stored === incoming[0])
            #expect(result.added == 1 && result.updated == 0 && result.unchanged == 1)
            #expect(result.map(\.id) == ["old", "new"])

            let reference = Reference { $0.reference = "Organization/o2" }
            // example README.md
            let twin = joey!.copy()
            twin.name[0].given[0] = "Joe"
            try store.write { _ in try joey!.populate(from: twin) }
            try store.write { _ in joey!.upsert(\.managingOrganization, to: reference) }
            // end
            #expect(try store.resource(Patient.self, id: "123")?.managingOrganization == reference)
            #expect(try store.resource(Patient.self, id: "123")?.name[0].given.first == "Joe")

            let loinc = "http://loinc.org"
            // example README.md
            let joes = try store.query(Patient.self).where { $0.name.given == "Joe" }.all()
            let recent = try store.query(Observation.self)
                .where { $0.subject.reference == "Patient/123" && $0.code.coding.any { $0.system == loinc && $0.code == "8867-4" } }
                .sort { $0.effectiveDateTime.descending }
                .limit(50)
                .all()
            // end
            #expect(joes.map(\.id) == ["123"])
            #expect(recent.isEmpty)

            // example README.md
            try store.write { tx in try tx.delete(Observation.self, id: "old") }
            // end
            #expect(try store.count(Observation.self) == 1)

            // example README.md
            for issue in patient.validate() { print(issue) }
            // end
            try expectSound(store)
        }
    }

    @Test func namesOfOtherModules() async {
        // example README.md
        let task = _Concurrency.Task { 1 }
        let range: Swift.Range<Int> = 0..<1
        let timeout: Swift.Duration = .seconds(1)
        let app: Foundation.Bundle = .main
        let bundle = FireLiteR4.Bundle { $0.type = .collection }
        let expression = FireLiteR4.Expression { $0.language = "text/fhirpath" }
        // end
        #expect(await task.value == 1 && range.count == 1 && timeout > .zero && !app.bundlePath.isEmpty)
        #expect(bundle.resourceType == "Bundle" && expression.language == "text/fhirpath")
    }
}

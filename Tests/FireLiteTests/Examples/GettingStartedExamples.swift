// example GettingStarted.md
import FireLite
import FireLiteR4
import Foundation
// end
import Testing

/// The examples of GettingStarted.md, one after another.
@Suite struct GettingStartedExamples {
    @Test func theWay() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            // example GettingStarted.md
            let data = Data(
                #"""
                {"resourceType": "Patient", "id": "123",
                 "gender": "male", "birthDate": "1970-03-30",
                 "name": [{"use": "official", "family": "Chalmers",
                           "given": ["Peter", "James"]}]}
                """#.utf8)
            let patient = try FHIRJSON.decode(Patient.self, from: data)
            // end
            #expect(patient.name.map(\.family) == ["Chalmers"] && patient.birthDate == "1970-03-30")

            // example GettingStarted.md
            let store = try FHIRStore(path: path, release: .r4)
            // end

            // example GettingStarted.md
            try store.write { tx in
                try tx.upsert(patient)
            }
            try store.write { _ in
                patient.name[0].given.append("Lee")
                patient.telecom = [ContactPoint { $0.value = "+1 555 0100" }]
            }
            // end

            // example GettingStarted.md
            let same = try store.resource(Patient.self, id: "123")
            let adults = try store.query(Patient.self)
                .where { $0.birthDate < "2008" && $0.name.given.contains("Lee") }
                .sort { $0.birthDate.descending }
                .all()
            // end
            #expect(same == patient && adults == [patient])
            #expect(try store.count(Patient.self) == 1)
            try expectSound(store)
        }
    }
}

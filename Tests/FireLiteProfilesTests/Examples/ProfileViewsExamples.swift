import FireLite
import FireLiteCore
import FireLiteProfiles
import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// The code of the page ProfileViews, over views of US Core that are generated for it.
@Suite struct ProfileViewsExamples {
    private func read(_ patient: Patient, _ observation: Observation) throws {
        // example ProfileViews.md
        let race = patient.usCore.race
        let categories = race?.ombCategory.compactMap(\.display) ?? []
        let pressure = observation.usCoreBloodPressure
        let systolic = try pressure.systolic.value?.value.literal
        print(categories, try race?.text ?? "", systolic ?? "no value")
        // end
    }

    private func check(_ patient: Patient) {
        // example ProfileViews.md
        let view = USCorePatient(patient)
        for issue in view.issues { print(issue.path, issue.message) }
        // end
    }

    private func create(_ store: FHIRStore) throws {
        // example ProfileViews.md
        let systolic = USCoreBloodPressure.Systolic()
        systolic.value = .init(value: "120", unit: "mmHg")
        let diastolic = USCoreBloodPressure.Diastolic()
        diastolic.value = .init(value: "80", unit: "mmHg")
        let pressure = USCoreBloodPressure(
            status: .final, subject: Reference { $0.reference = "Patient/1" }, effective: .dateTime("2024-05-01"), systolic: systolic,
            diastolic: diastolic)
        try store.write { try $0.upsert(pressure.object) }
        // end
        #expect(pressure.issues == [])
    }

    private func query(_ store: FHIRStore) throws -> [String] {
        // example ProfileViews.md
        let patients = try store.query(Patient.self).where { $0.usCore.race.ombCategory.code == "2106-3" }.all()
        let high = try store.query(Observation.self).where { $0.usCoreBloodPressure.systolic.value.value >= 140 }.count()
        let unknown = try store.query(Patient.self).where { $0.usCore.race == nil }.ids()
        print(patients.count, high, unknown)
        // end
        #expect(high == 0)
        #expect(unknown.count == 1)
        return patients.compactMap(\.id)
    }

    private func flatten(_ store: FHIRStore) throws {
        // example ProfileViews.md
        let race = USCorePatient.paths.race.ombCategory
        let view = ViewDefinition(
            resource: "Patient",
            selects: [
                .init(columns: [
                    .init(name: "id", path: "id"), .init(name: "race", path: race.code.fhirPath, isCollection: true),
                ])
            ])
        try store.forEachRow(of: view) { row in print(row["id"].text, row["race"].text) }
        // end
    }

    private func search(_ store: FHIRStore) throws -> [String] {
        // example ProfileViews.md
        let path = USCorePatient.paths.race.ombCategory
        let parameter = try path.searchParameter(code: "omb-race", url: "http://example.org/SearchParameter/omb-race")
        try store.write { try $0.upsert(parameter) }
        let found = try store.search("Patient?omb-race=2106-3").matches(Patient.self)
        print(found.count)
        // end
        return found.compactMap(\.id)
    }

    @Test func theCodeOfThePageRuns() throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        try create(store)
        let one = Patient { $0.id = "one" }
        let race = USCoreRace(text: "White")
        race.ombCategory = [
            Coding {
                $0.system = "urn:oid:2.16.840.1.113883.6.238"; $0.code = "2106-3"; $0.display = "White"
            }
        ]
        one.usCore.race = race
        try store.write {
            try $0.upsert(one)
            try $0.upsert(Patient { $0.id = "two" })
        }
        #expect(try query(store) == ["one"])
        #expect(try store.patients(race: "2106-3").map(\.id) == ["one"])
        #expect(try search(store) == ["one"])
        try flatten(store)
        let observation = try #require(try store.query(Observation.self).first())
        try read(one, observation)
        check(one)
        #expect(throws: ProfileError.self) { try read(one, Observation()) }
    }

    /// Two guides see the same object, each by its profile.
    @Test func guidesStandSideBySide() throws {
        let patient = Patient()
        patient.usCore.birthsex = "F"
        patient.diary.class = ["a"]
        #expect(patient.extension.count == 2)
        #expect(patient.usCore.birthsex == "F")
        #expect(patient.diary.class == ["a"])
    }
}

// example ProfileViews.md
extension FHIRStore {
    /// Patients by a category of race, such as `2106-3`.
    func patients(race code: String) throws -> [Patient] {
        try query(Patient.self).where { $0.usCore.race.ombCategory.code == code }.all()
    }
}
// end

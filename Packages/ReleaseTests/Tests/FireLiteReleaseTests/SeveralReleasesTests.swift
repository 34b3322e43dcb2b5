import FireLiteDSTU2
import FireLiteR4
import FireLiteR4B
import FireLiteR5
import FireLiteSTU3
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// One program with the classes of all releases: the module's name tells classes of the same name apart, and no store takes those of another.
@Suite struct SeveralReleasesTests {
    @Test func storesOfTwoReleasesAtOnce() throws {
        let old = FireLiteDSTU2.Patient {
            $0.id = "1"; $0.name = [FireLiteDSTU2.HumanName { $0.family = ["Chalmers"] }]
        }
        let new = FireLiteR4.Patient {
            $0.id = "1"; $0.name = [FireLiteR4.HumanName { $0.family = "Windsor" }]
        }
        let oldStore = try FHIRStore.inMemory(release: .dstu2)
        let newStore = try FHIRStore.inMemory(release: .r4)
        try oldStore.write { tx in try tx.add(old) }
        try newStore.write { tx in try tx.add(new) }
        try oldStore.write { _ in old.birthDate = "1974-12-25" }
        #expect(try oldStore.query(FireLiteDSTU2.Patient.self).where { $0.name.family == "Chalmers" }.count() == 1)
        #expect(try newStore.query(FireLiteR4.Patient.self).where { $0.name.family == "Windsor" }.count() == 1)
        #expect(try oldStore.resource(FireLiteDSTU2.Patient.self, id: "1")?.birthDate == "1974-12-25")
        #expect(try newStore.resource(FireLiteR4.Patient.self, id: "1")?.birthDate == nil)
        // Objects of two releases are never equal, whatever they hold.
        #expect(FireLiteDSTU2.Patient { $0.id = "1" } != FireLiteR4.Patient { $0.id = "1" } as FHIRObject)
        // JSON is how a record gets from one to the other, where both have its elements.
        let moved = try FireLiteR4.Patient(json: FHIRJSON.data(FireLiteDSTU2.Patient { $0.gender = .female }))
        #expect(moved.gender == .female)
    }

    /// One place where every module's classes are used by their full names.
    @Test func everyReleaseHasItsPatient() throws {
        let patients: [FHIRResource] = [
            FireLiteDSTU2.Patient { $0.id = "1" }, FireLiteSTU3.Patient { $0.id = "1" }, FireLiteR4.Patient { $0.id = "1" },
            FireLiteR4B.Patient { $0.id = "1" }, FireLiteR5.Patient { $0.id = "1" },
        ]
        #expect(patients.map(\.layout.release) == Releases.all)
        for patient in patients {
            let store = try FHIRStore.inMemory(release: patient.layout.release)
            try store.write { tx in try tx.add(patient) }
            #expect(try store.resource(typeName: "Patient", id: "1") == patient)
        }
    }

    // MARK: - Files

    @Test(arguments: Releases.all) func aFileOpensOnlyWithItsOwnRelease(_ release: FHIRRelease) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try FHIRStore(path: path, release: release).close()
        for other in Releases.all where other != release {
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: other) }
            #expect(error?.code == .wrongRelease)
            #expect(
                error?.message.hasSuffix("holds FHIR \(release), not \(other): open it with that release, or give another path") == true)
        }
        #expect(try FHIRStore(path: path, release: release).release == release)
    }

    // MARK: - Misuse

    private func expect(_ result: ExitTest.Result?, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for word in words { #expect(text.contains(word), sourceLocation: sourceLocation) }
    }

    @Test func savingAnObjectOfAnotherRelease() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { tx in try tx.add(FireLiteDSTU2.Patient { $0.id = "1" }) }
        }
        try expect(result, "a Patient of FHIR DSTU2 cannot go into a store of R4: use the classes of R4")
    }

    @Test func askingForAClassOfAnotherRelease() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .stu3)
            _ = try store.query(FireLiteR4.Patient.self).count()
        }
        try expect(result, "Patient is a class of FHIR R4, but the store has STU3: use the classes of that release")
    }

    @Test func anIndexForAClassOfAnotherRelease() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r5)
            _ = try store.createIndex(FireLiteR4B.Patient.self) { $0.birthDate }
        }
        try expect(result, "Patient is a class of FHIR R4B, but the store has R5: use the classes of that release")
    }

    @Test func aTargetOfAnotherRelease() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { tx in try tx.add(FireLiteR4.Observation { $0.subject = FireLiteR4.Reference { $0.reference = "Patient/1" } })
            }
            let query = store.query(FireLiteR4.Observation.self)
            _ = try query.where { $0.subject.target(FireLiteDSTU2.Patient.self).exists }.count()
        }
        try expect(result, "Patient is a class of FHIR DSTU2, but the store has R4: use the classes of that release")
    }
}

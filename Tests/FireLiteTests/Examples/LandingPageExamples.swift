import FireLite
import FireLiteR4
import Testing

/// The example of the landing page, FireLite.md.
@Suite struct LandingPageExamples {
    @Test func theTour() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/health.sqlite"
            let patient = Patient { $0.id = "123" }
            // example FireLite.md
            let store = try FHIRStore(path: path, release: .r4)
            try store.write { tx in try tx.upsert(patient) }
            try store.write { _ in patient.birthDate = "1970-03-30" }
            let children = try store.query(Patient.self)
                .where { $0.birthDate > "2010" }.all()
            // end
            #expect(children.isEmpty)
            #expect(try store.resource(Patient.self, id: "123")?.birthDate == "1970-03-30")
            try expectSound(store)
        }
    }
}

import FireLiteCore
import FireLiteKnowledge
import FireLiteProfiles
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// What views create is valid by the validator, which knows the profiles from their package and not from the views.
@Suite struct CreationTests {
    private func validator() throws -> FHIRValidator {
        let knowledge = Knowledge(release: .r4)
        try knowledge.addPackage(at: PackageFolder.url.appendingPathComponent("Tests/FireLiteProfilesTests/Fixtures/diary").path)
        return FHIRValidator(knowledge: knowledge)
    }

    private func patient(_ random: inout SeededGenerator) -> DiaryPatient {
        let view = DiaryPatient(
            identifier: (0...random.int(0...2)).map { DiaryPatient.IdentifierView(system: "http://example.org/ids", value: "\($0)") },
            name: [HumanName { $0.family = "Ames" }], gender: random.pick(AdministrativeGender.known))
        if random.percent(50) {
            let mood = DiaryMood(text: "calm")
            if random.percent(50) { mood.score = random.int(0...9) }
            if random.percent(50) { mood.tag = (0...random.int(0...2)).map { _ in Coding { $0.code = "a" } } }
            view.feeling = mood
        }
        if random.percent(50) { view.class = (0...random.int(0...2)).map { "c\($0)" } }
        if random.percent(50) { view.multipleBirth = random.int(1...3) }
        if random.percent(50) {
            view.photo = Attachment {
                $0.contentType = "image/png"; $0.url = "http://example.org/a"
            }
        }
        return view
    }

    private func pressure(_ random: inout SeededGenerator) -> DiaryPressure {
        let view = DiaryPressure(
            status: random.pick(ObservationStatus.known), subject: Reference { $0.reference = "Patient/1" }, effective: "2024-05-01",
            systolic: .init(value: .init(value: FHIRDecimal(random.int(80...180)), unit: "mmHg")),
            diastolic: .init(value: .init(value: FHIRDecimal(random.int(40...120)), unit: "mmHg")))
        if random.percent(50) { view.in = .init(value: .init(value: FHIRDecimal(random.int(40...120)), unit: "mmHg")) }
        return view
    }

    private func note(_ random: inout SeededGenerator) -> JournalNote {
        let topics = ["sleep", "food", "snack"]
        return JournalNote(
            status: random.pick(ObservationStatus.known), code: CodeableConcept(text: "note"),
            value: random.percent(50) ? .string("text") : .codeableConcept(CodeableConcept(text: "text")),
            topic: (0...random.int(0...1)).map { _ in
                CodeableConcept(
                    Coding {
                        $0.system = "http://example.org/diary/CodeSystem/topics"; $0.code = random.pick(topics)
                    })
            })
    }

    @Test func whatViewsCreateIsValid() throws {
        let validator = try validator()
        func check<View: ResourceProfileView>(_ view: View) throws {
            let errors = try validator.issues(in: view).filter { $0.severity == .error }
            try #require(errors.isEmpty, "\(View.self): \(errors)")
            try #require(view.isValid, "\(View.self): \(view.issues)")
        }
        try withEvery(0..<(Effort.isNightly ? 1_000 : 40)) { seed in
            var random = SeededGenerator(seed: seed)
            try check(patient(&random))
            try check(pressure(&random))
            try check(note(&random))
        }
    }

    /// The validator and the view agree on what is missing, and only the validator knows bindings.
    @Test func theValidatorFindsWhatViewsFind() throws {
        let validator = try validator()
        var random = SeededGenerator(seed: 1)
        let broken = patient(&random)
        broken.object.gender = nil
        broken.object.maritalStatus = CodeableConcept(text: "x")
        #expect(!broken.isValid)
        #expect(try !validator.isValid(broken))
        let paths = Set(broken.issues.map(\.path))
        #expect(paths == ["Patient.gender", "Patient.maritalStatus"])
    }
}

import FireLiteCore
import FireLiteProfiles
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Views of the guide in `Fixtures/diary` read, write and create; the views are generated code, in `Generated`.
@Suite struct ViewTests {
    private static let loinc = "http://loinc.org"

    private func pressure(_ systolic: FHIRDecimal = "120", _ diastolic: FHIRDecimal = "80") -> DiaryPressure {
        DiaryPressure(
            status: .final, subject: Reference { $0.reference = "Patient/1" }, effective: "2024-05-01",
            systolic: DiaryPressure.Systolic(value: DiaryPressure.Systolic.ValueView(value: systolic, unit: "mmHg")),
            diastolic: DiaryPressure.Diastolic(value: DiaryPressure.Diastolic.ValueView(value: diastolic, unit: "mmHg")))
    }

    private func patient() -> DiaryPatient {
        DiaryPatient(
            identifier: [DiaryPatient.IdentifierView(system: "urn:oid:1.2.3", value: "7")], name: [HumanName { $0.family = "Ames" }],
            gender: .female)
    }

    // MARK: - Creation

    @Test func creationSetsWhatTheProfileFixes() throws {
        let view = pressure()
        let observation = view.object
        #expect(observation.code?.coding.map(\.code) == ["85354-9"])
        #expect(observation.category.first?.coding.map(\.code) == ["vital-signs"])
        #expect(observation.component.map { $0.code?.coding.first?.code } == ["8480-6", "8462-4"])
        #expect(observation.component.map { $0.valueQuantity?.code } == ["mm[Hg]", "mm[Hg]"])
        #expect(observation.component.map { $0.valueQuantity?.system } == Array(repeating: "http://unitsofmeasure.org", count: 2))
        #expect(observation.meta?.profile == [DiaryPressure.profileURL])
        #expect(view.issues == [])
        #expect(view.isValid)
        #expect(view.isDeclared)
    }

    @Test func slicesKeepTheOrderOfTheProfile() throws {
        let view = DiaryPressure(Observation())
        view.in = DiaryPressure.In(value: DiaryPressure.In.ValueView(value: "93", unit: "mmHg"))
        view.set(diastolic: DiaryPressure.Diastolic(value: DiaryPressure.Diastolic.ValueView(value: "80", unit: "mmHg")))
        view.object.component.append(ObservationComponent { $0.code = CodeableConcept(.loinc("8867-4")) })
        view.set(systolic: DiaryPressure.Systolic(value: DiaryPressure.Systolic.ValueView(value: "120", unit: "mmHg")))
        #expect(view.object.component.map { $0.code?.coding.first?.code } == ["8480-6", "8462-4", "8478-0", "8867-4"])
        // Replaced where it was.
        view.set(diastolic: DiaryPressure.Diastolic(value: DiaryPressure.Diastolic.ValueView(value: "81", unit: "mmHg")))
        #expect(view.object.component.map { $0.valueQuantity?.value } == ["120", "81", "93", nil])
        view.in = nil
        #expect(view.object.component.map { $0.code?.coding.first?.code } == ["8480-6", "8462-4", "8867-4"])
    }

    @Test func creationKeepsWhatIsThere() throws {
        let concept = CodeableConcept(Coding(.loinc, "85354-9", display: "Blood pressure"))
        let view = pressure()
        view.set(code: concept)
        view._complete()
        #expect(view.object.code?.coding.count == 1)
        #expect(view.object.code?.coding.first?.display == "Blood pressure")
        #expect(view.object.meta?.profile.count == 1)
        #expect(view.object.category.count == 1)
    }

    // MARK: - Extensions

    @Test func extensionsAreReadAndSetByName() throws {
        let view = patient()
        #expect(view.feeling == nil)
        let mood = DiaryMood(text: "calm")
        mood.score = 7
        mood.tag = [Coding { $0.code = "a" }, Coding { $0.code = "b" }]
        view.feeling = mood
        view.class = ["first", "second"]
        let urls = view.object.extension.map { $0.url?.split(separator: "/").last }
        #expect(urls == ["diary-mood", "diary-class", "diary-class"])
        #expect(try view.feeling?.text == "calm")
        #expect(view.feeling?.score == 7)
        #expect(view.feeling?.tag.map(\.code) == ["a", "b"])
        #expect(view.object.diary.class == ["first", "second"])
        #expect(view.issues == [])

        // An extension that stays keeps its id, and all of the object that the profile does not name.
        view.object.extension[1].id = "kept"
        view.object.extension.insert(Extension { $0.url = "http://example.org/other" }, at: 0)
        view.class = ["third"]
        #expect(view.object.extension.map(\.id) == [nil, nil, "kept"])
        #expect(view.class == ["third"])
        view.feeling = nil
        #expect(view.object.extension.count == 2)
    }

    @Test func nestedExtensionsComeInTheOrderOfTheProfile() throws {
        let mood = DiaryMood(text: "calm")
        mood.tag = [Coding { $0.code = "a" }]
        mood.score = 7
        #expect(mood.object.extension.map(\.url) == ["score", "tag", "text"])
        #expect(mood.object.url == DiaryMood.profileURL)
    }

    // MARK: - Cardinalities and choices

    @Test func requiredElementsThrowWhatIsMissing() throws {
        let view = DiaryPatient(Patient())
        let error = try #require(throws: ProfileError.self) { try view.gender }
        #expect(error.code == .missing)
        #expect(error.element == "Patient.gender")
        #expect(error.profile == DiaryPatient.profileURL)
        #expect(error.description.contains("Patient.gender"))
        let slice = try #require(throws: ProfileError.self) { try DiaryPressure(Observation()).systolic }
        #expect(slice.element == "Observation.component:systolic")
    }

    @Test func aListOfAtMostOneIsAnOptional() throws {
        let view = patient()
        #expect(view.photo == nil)
        view.photo = Attachment { $0.title = "me" }
        #expect(view.object.photo.count == 1)
        view.photo = nil
        #expect(view.object.photo.isEmpty)
    }

    @Test func choicesHaveTheTypesThatAreLeft() throws {
        let view = patient()
        view.multipleBirth = 2
        #expect(view.object.multipleBirth == .integer(2))
        let note = JournalNote(
            status: .final, code: CodeableConcept(text: "note"), value: .string("slept well"),
            topic: [
                CodeableConcept(
                    Coding {
                        $0.system = "http://example.org/diary/CodeSystem/topics"; $0.code = "sleep"
                    })
            ])
        #expect(try note.value == .string("slept well"))
        #expect(note.issues == [])
        note.object.valueQuantity = Quantity()
        #expect(throws: ProfileError.self) { try note.value }
        #expect(note.issues.contains { $0.code == .type })
    }

    @Test func otherElementsShowThrough() throws {
        let view = patient()
        view.birthDate = "1970-01-02"
        view.name[0].given = ["Ada"]
        #expect(view.object.birthDate == "1970-01-02")
        #expect(view.name.first?.given == ["Ada"])
        #expect(view.resourceType == "Patient")
    }

    // MARK: - Objects that do not follow the profile

    @Test func issuesNameWhatDoesNotFit() throws {
        let observation = Observation {
            $0.status = .final
            $0.code = CodeableConcept(.loinc("1-1"))
            $0.valueString = "x"
            $0.component = [
                ObservationComponent {
                    $0.code = CodeableConcept(.loinc("8480-6")); $0.valueQuantity = Quantity { $0.code = "kPa" }
                },
                ObservationComponent { $0.code = CodeableConcept(.loinc("8480-6")) },
            ]
        }
        let view = DiaryPressure(observation)
        let found = Set(view.issues.map { "\($0.path) \($0.code.rawValue)" })
        #expect(!view.isValid)
        for expected in [
            "Observation.code pattern", "Observation.value[x] tooMany", "Observation.subject missing", "Observation.effective[x] missing",
            "Observation.category missing", "Observation.category:vital missing", "Observation.component:systolic tooMany",
            "Observation.component:diastolic missing", "Observation.component[0].value.code fixedValue",
            "Observation.component[0].value.system missing", "Observation.component[1].value[x] missing",
        ] { #expect(found.contains(expected), "\(expected) in \(found.sorted())") }
        // No value of the record.
        #expect(!view.issues.contains { $0.message.contains("kPa") || $0.message.contains("1-1") })
    }

    /// Reading any object through any view never traps, changes nothing, and writing back what was read changes nothing either.
    @Test func anyObjectCanBeReadThroughAView() throws {
        try withEvery(0..<300) { seed in
            var random = RandomInstance(seed: seed, mode: .sparse)
            let patient = random.make(Patient.self)
            let before = FHIRJSON.string(patient)
            let view = DiaryPatient(patient)
            _ = (view.issues, view.feeling?.score, view.class, view.photo, view.multipleBirth, try? view.gender, view.isDeclared)
            _ = view.identifier.map { (try? $0.system, try? $0.value, $0.issues) }
            let observation = random.make(Observation.self)
            let text = FHIRJSON.string(observation)
            let pressure = DiaryPressure(observation)
            _ = (pressure.issues, try? pressure.systolic.value.value, pressure.in, try? pressure.effective, try? pressure.vital.coding)
            _ = (JournalNote(observation).issues, try? JournalNote(observation).value, JournalNote(observation).topic)
            try #require(FHIRJSON.string(patient) == before)
            try #require(FHIRJSON.string(observation) == text)
            view.identifier = view.identifier
            view.feeling = view.feeling
            view.object.extension = view.object.extension
            try #require(FHIRJSON.string(patient) == before)
        }
    }

    /// A view over a managed or shared object is the object: no copy.
    @Test func aViewHoldsTheObject() {
        let patient = Patient()
        #expect(patient.diary.object === patient)
        patient.diary.set(gender: .male)
        #expect(patient.gender == .male)
    }
}

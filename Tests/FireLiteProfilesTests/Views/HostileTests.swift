import FireLiteCore
import FireLiteKnowledge
import FireLiteProfiles
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Objects that break every rule of a profile: reading never traps and changes nothing, and issues say what is wrong.
@Suite struct HostileTests {
    /// Gives elements of an object, and of what is in it, other content, or takes them out.
    private func damage(_ object: FHIRObject, _ random: inout RandomInstance) {
        for _ in 0..<random.generator.int(1...6) {
            var target = object
            while random.generator.percent(60), let child = random.pick(children(of: target)) { target = child }
            guard let element = random.pick(target.layout.elements) else { continue }
            random.change(element, of: target)
        }
    }

    private func children(of object: FHIRObject) -> [FHIRObject] {
        object.layout.elements.filter { $0.kind == .object }.flatMap { object.children($0.name) }
    }

    /// Slices, extensions and entries, once more or in another order.
    private func shuffle(_ object: FHIRObject, _ random: inout RandomInstance) {
        for element in object.layout.elements where element.kind == .object && element.isList {
            var list = object.children(element.name)
            guard !list.isEmpty else { continue }
            if random.generator.percent(50) { list += list.map { $0.copy() } }
            list.shuffle(using: &random.generator)
            object._setObjects(element.slot, list)
        }
    }

    // MARK: - Every accessor

    private func read(_ view: DiaryPatient) {
        _ = (try? view.gender, view.feeling, view.class, view.multipleBirth, view.photo, view.isDeclared, view.isValid)
        for identifier in view.identifier { _ = (try? identifier.system, try? identifier.value, identifier.issues) }
        if let mood = view.feeling { _ = (try? mood.text, mood.score, mood.tag, mood.issues) }
    }

    private func read(_ view: DiaryPressure) {
        _ = (try? view.status, try? view.code, try? view.subject, try? view.effective, view.isDeclared, view.isValid)
        if let vital = try? view.vital { _ = (vital.coding.map { (try? $0.system, try? $0.code, $0.issues) }, vital.issues) }
        if let systolic = try? view.systolic { _ = (try? systolic.value.value, try? systolic.value.unit, systolic.issues) }
        if let diastolic = try? view.diastolic { _ = (try? diastolic.value.system, try? diastolic.value.code, diastolic.issues) }
        _ = view.in.map { (try? $0.value.value, $0.issues) }
    }

    private func read(_ view: JournalNote) {
        _ = (try? view.status, try? view.code, try? view.value, view.topic, view.isDeclared, view.isValid)
    }

    private func read(_ view: DiaryReading) { _ = (try? view.status, try? view.code, try? view.value, view.isDeclared, view.isValid) }

    private func read(_ view: DiaryDay) {
        if let person = try? view.person { _ = ((try? person.resource).map { read($0) }, person.issues) }
        for entry in view.pressure { _ = ((try? entry.resource).map { read($0) }, entry.issues) }
        for entry in view.reading { _ = ((try? entry.resource).map { read($0) }, entry.issues) }
        if let note = view.note { _ = ((try? note.resource).map { read($0) }, note.issues) }
        if let report = view.report { _ = ((try? report.resource)?.status, report.issues) }
        _ = (try? view.type, view.isDeclared, view.isValid)
    }

    private func read(_ view: DiarySummary) {
        _ = (try? view.status, try? view.date, try? view.title, view.author, view.isDeclared, view.isValid)
        if let people = try? view.people { _ = (try? people.title, try? people.code, people.person, people.issues) }
        if let measures = view.measures { _ = (try? measures.title, try? measures.code, measures.report, measures.issues) }
    }

    private func read(_ view: USCorePatient) {
        _ = (try? view.gender, view.birthsex, view.sex, view.genderIdentity, view.isDeclared, view.isValid)
        if let race = view.race { _ = (race.ombCategory, race.detailed, try? race.text, race.issues) }
        if let ethnicity = view.ethnicity { _ = (ethnicity.ombCategory, ethnicity.detailed, try? ethnicity.text, ethnicity.issues) }
        for tribe in view.tribalAffiliation { _ = (try? tribe.tribalAffiliation, tribe.isEnrolled, tribe.issues) }
        for identifier in view.identifier { _ = (try? identifier.system, try? identifier.value) }
        for telecom in view.telecom { _ = (try? telecom.system, try? telecom.value) }
    }

    private func read(_ view: USCoreBloodPressure) {
        _ = (try? view.status, try? view.code, try? view.subject, try? view.effective, view.isDeclared, view.isValid)
        _ = try? view.vsCat
        if let systolic = try? view.systolic { _ = (systolic.value.map { (try? $0.value, try? $0.unit) }, systolic.issues) }
        if let diastolic = try? view.diastolic { _ = (diastolic.value.map { (try? $0.system, try? $0.code) }, diastolic.issues) }
    }

    /// Reads an object, and checks that this changes nothing and that issues are about it.
    private func check(_ object: FHIRResource, _ issues: [FHIRIssue], _ read: () -> Void) throws {
        let before = FHIRJSON.string(object)
        read()
        try #require(FHIRJSON.string(object) == before)
        for issue in issues {
            try #require(issue.path == object.resourceType || issue.path.hasPrefix(object.resourceType + "."), "\(issue)")
        }
    }

    private func valid() -> (Patient, Observation, FireLiteR4.Bundle, Composition) {
        let patient = DiaryPatient(
            identifier: [DiaryPatient.IdentifierView(system: "http://example.org/ids", value: "1")],
            name: [HumanName { $0.family = "Ames" }], gender: .female)
        patient.feeling = DiaryMood(text: "calm")
        patient.class = ["a", "b"]
        patient.object.usCore.birthsex = "F"
        let race = USCoreRace(text: "x")
        race.ombCategory = [Coding { $0.code = "2106-3" }]
        patient.object.usCore.race = race
        let pressure = DiaryPressure(
            status: .final, subject: Reference { $0.reference = "Patient/1" }, effective: "2024-05-01",
            systolic: .init(value: .init(value: "120", unit: "mmHg")), diastolic: .init(value: .init(value: "80", unit: "mmHg")))
        let day = DiaryDay(person: DiaryDay.PersonSlice(resource: DiaryPatient(patient.object.copy())))
        day.pressure = [DiaryDay.Pressure(resource: DiaryPressure(pressure.object.copy()))]
        let note = JournalNote(
            status: .final, code: CodeableConcept(text: "note"), value: .string("text"), topic: [CodeableConcept(text: "x")])
        day.note = DiaryDay.Note(resource: note)
        let summary = DiarySummary(
            status: .final, date: "2024-05-01", author: [Reference { $0.reference = "Practitioner/1" }], title: "Summary",
            people: DiarySummary.People(title: "People", person: [Reference { $0.reference = "Patient/1" }]))
        return (patient.object, pressure.object, day.object, summary.object)
    }

    @Test func damagedObjectsAreRead() throws {
        try withEvery(Effort.seeds(byDay: 300, atNight: 5_000)) { seed in
            var random = RandomInstance(seed: seed)
            let (patient, observation, bundle, composition) = valid()
            for object in [patient, observation, bundle, composition] as [FHIRResource] {
                if random.generator.percent(30) { shuffle(object, &random) }
                damage(object, &random)
            }
            for entry in bundle.entry {
                if let resource = entry.resource, random.generator.percent(70) { damage(resource, &random) }
            }
            try readAll(patient, observation, bundle, composition)
        }
    }

    /// Objects that never followed the profile.
    @Test func anyObjectsAreRead() throws {
        try withEvery(Effort.seeds(byDay: 100, atNight: 2_000)) { seed in
            var random = RandomInstance(seed: seed)
            let bundle = random.make(FireLiteR4.Bundle.self)
            try readAll(random.make(Patient.self), random.make(Observation.self), bundle, random.make(Composition.self))
        }
        try readAll(Patient(), Observation(), FireLiteR4.Bundle(), Composition())
    }

    private func readAll(_ patient: Patient, _ observation: Observation, _ bundle: FireLiteR4.Bundle, _ composition: Composition) throws {
        try check(patient, patient.diary.issues) { read(patient.diary) }
        try check(patient, patient.usCore.issues) { read(patient.usCore) }
        try check(observation, observation.diaryPressure.issues) { read(observation.diaryPressure) }
        try check(observation, observation.diaryJournalNote.issues) { read(observation.diaryJournalNote) }
        try check(observation, observation.diaryReading.issues) { read(observation.diaryReading) }
        try check(observation, observation.usCoreBloodPressure.issues) { read(observation.usCoreBloodPressure) }
        try check(bundle, bundle.diary.issues) { read(bundle.diary) }
        try check(composition, composition.diary.issues) { read(composition.diary) }
    }

    /// What a view finds wrong, the validator finds wrong as well.
    @Test func viewsFindNoMoreThanTheValidator() throws {
        let knowledge = Knowledge(release: .r4)
        try knowledge.addPackage(at: PackageFolder.url.appendingPathComponent("Tests/FireLiteProfilesTests/Fixtures/diary").path)
        let validator = FHIRValidator(knowledge: knowledge)
        try withEvery(Effort.seeds(byDay: 60, atNight: 1_000)) { seed in
            var random = RandomInstance(seed: seed)
            random.isStrictlyValid = true
            let (patient, observation, _, _) = valid()
            damage(patient, &random)
            damage(observation, &random)
            try #require(patient.diary.isValid || !validator.isValid(patient.diary), "\(patient.diary.issues)")
            let pressure = observation.diaryPressure
            try #require(pressure.isValid || !validator.isValid(pressure), "\(pressure.issues)")
        }
    }
}

extension RandomInstance {
    fileprivate mutating func pick<Item>(_ items: [Item]) -> Item? { items.isEmpty ? nil : generator.pick(items) }
}

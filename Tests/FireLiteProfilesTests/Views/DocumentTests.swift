import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteKnowledge
import FireLiteProfiles
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Slices of entries and of references: resources in resources by their type and profile, references by the type that they say.
@Suite struct DocumentTests {
    private static let topics = "http://example.org/diary/CodeSystem/topics"

    private func patient() -> DiaryPatient {
        DiaryPatient(
            identifier: [DiaryPatient.IdentifierView(system: "http://example.org/ids", value: "1")],
            name: [HumanName { $0.family = "Ames" }], gender: .female)
    }

    private func pressure() -> DiaryPressure {
        DiaryPressure(
            status: .final, subject: Reference { $0.reference = "Patient/1" }, effective: "2024-05-01",
            systolic: .init(value: .init(value: "120", unit: "mmHg")), diastolic: .init(value: .init(value: "80", unit: "mmHg")))
    }

    private func concept(_ code: String) -> CodeableConcept {
        CodeableConcept(
            Coding {
                $0.system = Self.topics; $0.code = code
            })
    }

    private func note() -> JournalNote {
        JournalNote(status: .final, code: CodeableConcept(text: "note"), value: .string("text"), topic: [concept("sleep")])
    }

    private func reading(_ code: String = "food") -> DiaryReading { DiaryReading(status: .final, code: concept(code), value: 3) }

    private func day() -> DiaryDay { DiaryDay(person: DiaryDay.PersonSlice(resource: patient())) }

    // MARK: - Entries

    @Test func entriesHaveTheViewsOfTheirResources() throws {
        let day = day()
        day.pressure = [DiaryDay.Pressure(resource: pressure()), DiaryDay.Pressure(resource: pressure())]
        day.note = DiaryDay.Note(resource: note())
        day.report = DiaryDay.Report(resource: DiagnosticReport { $0.status = .final })
        #expect(day.object.type == .collection)
        // In the order of the profile's slices.
        let types = day.object.entry.map { $0.resource?.resourceType }
        #expect(types == ["Patient", "Observation", "Observation", "Observation", "DiagnosticReport"])
        #expect(try day.person.resource.gender == .female)
        #expect(try day.pressure.map { try $0.resource.systolic.value.value } == ["120", "120"])
        #expect(try day.note?.resource.value == .string("text"))
        #expect(try day.report?.resource.status == .final)
        #expect(day.reading.isEmpty)
        #expect(throws: ProfileError.self) { try DiaryDay.Report(BundleEntry()).resource }
    }

    /// Without `meta.profile`, resources of one type are told apart by what their profiles say that they are about; the rest is of the slice whose
    /// profile says nothing.
    @Test func resourcesOfOneTypeAreToldApart() throws {
        let bundle = FireLiteR4.Bundle { $0.type = .collection }
        let other = Observation { $0.code = CodeableConcept(text: "x") }
        let resources = [pressure().object, reading().object, note().object, other]
        for (number, resource) in resources.enumerated() {
            if number < 3 { resource.meta = nil }
            bundle.entry.append(BundleEntry { $0.resource = resource })
        }
        #expect(bundle.diary.pressure.map { $0.object === bundle.entry[0] } == [true])
        #expect(bundle.diary.reading.map { $0.object === bundle.entry[1] } == [true])
        #expect(bundle.diary.note?.object === bundle.entry[2])
        // The slice takes one: the second is one too many.
        #expect(bundle.diary.issues.contains { $0.path == "Bundle.entry:note" && $0.code == .tooMany })
        // What a resource declares counts, with a version too.
        other.meta = Meta { $0.profile = ["\(DiaryPressure.profileURL)|1.0.0"] }
        #expect(bundle.diary.pressure.count == 2)
        #expect(!bundle.diary.issues.contains { $0.path == "Bundle.entry:note" })
    }

    /// A resource that is set into a slice is found in it again.
    @Test func aResourceInASliceDeclaresItsProfile() throws {
        let day = day()
        day.reading = [DiaryDay.Reading(resource: DiaryReading(Observation { $0.code = CodeableConcept(text: "other") }))]
        let observation = try #require(try day.reading.first?.resource)
        #expect(observation.isDeclared)
        #expect(day.note == nil)
        #expect(day.object.entry.count == 2)
    }

    @Test func issuesOfResourcesInEntriesHaveTheirPlace() throws {
        let day = day()
        day.pressure = [DiaryDay.Pressure(resource: pressure())]
        #expect(day.issues == [])
        let observation = try day.pressure[0].resource.object
        observation.subject = nil
        observation.component.removeLast()
        let found = Set(day.issues.map { "\($0.path) \($0.code.rawValue)" })
        #expect(
            found == ["Bundle.entry[1].resource.subject missing", "Bundle.entry[1].resource.component:diastolic missing"],
            "\(found.sorted())")
        day.object.entry[0].resource = nil
        #expect(day.issues.contains { $0.path == "Bundle.entry:person" && $0.code == .missing })
    }

    // MARK: - References

    private func summary(_ person: Reference) -> DiarySummary {
        DiarySummary(
            status: .final, date: "2024-05-01", author: [Reference { $0.reference = "Practitioner/1" }], title: "Summary",
            people: DiarySummary.People(title: "People", person: [person]))
    }

    @Test func referencesAreFoundByTheTypeThatTheySay() throws {
        let summary = summary(Reference { $0.reference = "https://example.org/fhir/Patient/1" })
        #expect(summary.issues == [])
        #expect(try summary.people.person.count == 1)
        #expect(summary.object.section[0].entry[0].type == nil)
        let section = summary.object.section[0]
        section.entry.insert(Reference { $0.reference = "Group/1" }, at: 0)
        section.entry.append(Reference { $0.type = "Patient" })
        section.entry.append(Reference { $0.reference = "#patient" })
        #expect(try summary.people.person.map { $0 === section.entry[1] || $0 === section.entry[2] } == [true, true])
        // Set into the slice, a reference whose address is silent says the type.
        try summary.people.person = [Reference { $0.reference = "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0" }]
        #expect(try summary.people.person.map(\.type) == ["Patient"])
    }

    /// A reference that may lead to any type may be the one that is required.
    @Test func silentReferencesAreNotMissing() throws {
        let summary = summary(Reference { $0.reference = "Patient/1" })
        let section = summary.object.section[0]
        section.entry = [Reference { $0.reference = "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0" }]
        #expect(try summary.people.person.isEmpty)
        #expect(summary.issues == [])
        section.entry = [Reference { $0.reference = "Group/1" }]
        #expect(summary.issues.map { "\($0.path) \($0.code.rawValue)" } == ["Composition.section[0].entry:person missing"])
    }

    @Test func slicesThatOnlyOtherResourcesTellApartAreNamed() throws {
        let path = PackageFolder.url.appendingPathComponent("Tests/FireLiteProfilesTests/Generated/Profiles/DiarySummary.swift").path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for (slice, other) in [("pressure", "note"), ("note", "pressure")] {
            #expect(
                text.contains(
                    "/// * `Composition.section:measures.entry:\(slice)`: only the resources that its references lead to tell them from those of entry:\(other)"
                ))
        }
        #expect(text.contains("public var report: Reference?"))
    }

    // MARK: - Validity and queries

    @Test func whatViewsCreateIsValid() throws {
        let knowledge = Knowledge(release: .r4)
        try knowledge.addPackage(at: PackageFolder.url.appendingPathComponent("Tests/FireLiteProfilesTests/Fixtures/diary").path)
        let validator = FHIRValidator(knowledge: knowledge)
        try withEvery(0..<(Effort.isNightly ? 300 : 10)) { seed in
            var random = SeededGenerator(seed: seed)
            let day = day()
            if random.percent(60) { day.pressure = (0...random.int(0...1)).map { _ in DiaryDay.Pressure(resource: pressure()) } }
            if random.percent(60) { day.reading = [DiaryDay.Reading(resource: reading(random.pick(["sleep", "food"])))] }
            if random.percent(60) { day.note = DiaryDay.Note(resource: note()) }
            try #require(day.isValid, "\(day.issues)")
            let errors = validator.issues(in: day).filter { $0.severity == .error }
            try #require(errors.isEmpty, "\(errors)")
        }
        let alone = summary(Reference { $0.reference = "#p" })
        let patient = patient().object
        patient.id = "p"
        alone.object.contained = [patient]
        for section in alone.object.section { section.text = narrative() }
        #expect(validator.issues(in: alone).filter { $0.severity == .error } == [])
    }

    private func narrative() -> Narrative {
        Narrative {
            $0.status = .generated; $0.div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">text</div>"
        }
    }

    private func randomBundle(_ number: Int, _ random: inout SeededGenerator) -> FireLiteR4.Bundle {
        let bundle = FireLiteR4.Bundle {
            $0.id = "b\(number)"; $0.type = .collection
        }
        for _ in 0..<random.int(0...3) {
            let code = random.pick(["sleep", "snack", "food", "work"])
            let resources: [Resource] = [
                pressure().object, reading(code).object, note().object, patient().object, Observation { $0.code = concept(code) },
            ]
            let resource = random.pick(resources)
            switch random.int(0...3) {
            case 0: resource.meta = nil
            case 1: resource.meta = Meta { $0.profile = ["\(random.pick([DiaryReading.profileURL, JournalNote.profileURL]))|2"] }
            default: break
            }
            bundle.entry.append(BundleEntry { $0.resource = resource })
        }
        return bundle
    }

    /// Queries, FHIRPath and views agree on what is in a slice of resources.
    @Test func queriesFindWhatViewsShow() throws {
        let reading = try FHIRPath(DiaryDay.paths.reading.fhirPath)
        let note = try FHIRPath(DiaryDay.paths.note.resource.fhirPath)
        try withEvery(0..<8) { seed in
            var random = SeededGenerator(seed: seed)
            let bundles = (0..<12).map { randomBundle($0, &random) }
            let store = try FHIRStore(path: ":memory:", release: .r4)
            try store.write { for bundle in bundles { try $0.upsert(bundle) } }
            func found(_ condition: (ElementPath<FireLiteR4.Bundle>) -> QueryCondition) throws -> Set<String> {
                Set(try store.query(FireLiteR4.Bundle.self).where(condition).all().compactMap(\.id))
            }
            func seen(_ isWanted: (DiaryDay) -> Bool) -> Set<String> { Set(bundles.filter { isWanted($0.diary) }.compactMap(\.id)) }
            try #require(try found { $0.diary.pressure != nil } == seen { !$0.pressure.isEmpty })
            try #require(try found { $0.diary.reading != nil } == seen { !$0.reading.isEmpty })
            try #require(try found { $0.diary.note != nil } == seen { $0.note != nil })
            try #require(
                try found { $0.diary.reading.resource.code.coding.code == "snack" }
                    == seen { $0.reading.contains { (try? $0.resource.code.coding.first?.code) == "snack" } })
            try #require(
                try found { $0.diary.person.resource.gender == .female } == seen { (try? $0.person.resource.gender) == .female })
            for bundle in bundles {
                try #require(try reading.evaluate(on: bundle).count == bundle.diary.reading.count)
                try #require(try (note.evaluate(on: bundle).count > 0) == (bundle.diary.note != nil))
            }
        }
    }

    @Test func queriesFindReferencesByTheTypeThatTheySay() throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let texts = [
            "Patient/1", "https://example.org/fhir/Patient/1", "Patient/1/_history/2", "Group/1", "#patient",
            "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0", "Patient?identifier=1",
        ]
        let path = try FHIRPath(DiarySummary.paths.people.person.fhirPath)
        var expected: Set<String> = []
        for (number, text) in texts.enumerated() {
            let summary = summary(Reference { $0.reference = "Patient/1" })
            summary.object.id = "s\(number)"
            summary.object.section[0].entry = [Reference { $0.reference = text }]
            try store.write { try $0.upsert(summary.object) }
            let isIn = try !summary.people.person.isEmpty
            if isIn { expected.insert("s\(number)") }
            #expect(try path.evaluate(on: summary.object).count == (isIn ? 1 : 0), "\(text)")
        }
        #expect(expected == ["s0", "s1", "s2"])
        let found = try store.query(Composition.self).where { $0.diary.people.person != nil }.all().compactMap(\.id)
        #expect(Set(found) == expected)
    }
}

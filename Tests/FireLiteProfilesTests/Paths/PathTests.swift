import FireLite
import FireLiteCore
import FireLiteFHIRPath
import FireLiteProfiles
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Queries take the paths of views, and find what the views show.
@Suite struct PathTests {
    /// A store with patients and observations, some of which follow the profiles.
    private func store(_ seed: UInt64) throws -> (FHIRStore, [Patient], [Observation]) {
        var random = SeededGenerator(seed: seed)
        let store = try FHIRStore(path: ":memory:", release: .r4)
        let patients = (0..<40).map { number in patient(number, &random) }
        let observations = (0..<40).map { number in observation(number, &random) }
        try store.write { transaction in
            for patient in patients { try transaction.upsert(patient) }
            for observation in observations { try transaction.upsert(observation) }
        }
        return (store, patients, observations)
    }

    private func patient(_ number: Int, _ random: inout SeededGenerator) -> Patient {
        let patient = Patient { $0.id = "p\(number)" }
        if random.percent(70) {
            let mood = DiaryMood(text: random.pick(["calm", "sad"]))
            if random.percent(60) { mood.score = random.int(0...3) }
            if random.percent(50) { mood.tag = (0...random.int(0...1)).map { _ in Coding { $0.code = random.pick(["a", "b", "c"]) } } }
            patient.diary.feeling = mood
        }
        if random.percent(50) { patient.diary.class = (0...random.int(0...1)).map { _ in random.pick(["x", "y"]) } }
        if random.percent(30) {
            // The same values in extensions of another URL.
            patient.extension.append(
                Extension {
                    $0.url = "http://example.org/other"; $0.valueCode = "x"
                })
        }
        return patient
    }

    private func observation(_ number: Int, _ random: inout SeededGenerator) -> Observation {
        let observation = Observation {
            $0.id = "o\(number)"; $0.status = .final
        }
        let view = DiaryPressure(observation)
        if random.percent(70) {
            view.set(systolic: .init(value: .init(value: FHIRDecimal(random.int(1...3)), unit: "mmHg")))
        }
        if random.percent(70) {
            view.set(diastolic: .init(value: .init(value: FHIRDecimal(random.int(1...3)), unit: "mmHg")))
        }
        if random.percent(40) {
            let code = random.pick(["sleep", "snack", "work"])
            observation.category.append(
                CodeableConcept(
                    Coding {
                        $0.system = "http://example.org/diary/CodeSystem/topics"; $0.code = code
                    }))
        }
        return observation
    }

    private func ids<Resource: FHIRResource>(_ resources: [Resource], _ isWanted: (Resource) throws -> Bool) rethrows -> Set<String> {
        Set(try resources.filter(isWanted).compactMap(\.id))
    }

    /// Conditions on paths say the same as the views of the objects.
    @Test func queriesFindWhatViewsShow() throws {
        try withEvery(0..<10) { seed in
            let (store, patients, observations) = try store(seed)
            func found(_ condition: (ElementPath<Patient>) -> QueryCondition) throws -> Set<String> {
                Set(try store.query(Patient.self).where(condition).all().compactMap(\.id))
            }
            func seen(_ condition: (ElementPath<Observation>) -> QueryCondition) throws -> Set<String> {
                Set(try store.query(Observation.self).where(condition).all().compactMap(\.id))
            }
            try #require(try found { $0.diary.feeling.text == "calm" } == ids(patients) { (try? $0.diary.feeling?.text) == "calm" })
            try #require(try found { $0.diary.feeling.text != "calm" } == ids(patients) { (try? $0.diary.feeling?.text) != "calm" })
            try #require(try found { $0.diary.feeling.score >= 2 } == ids(patients) { ($0.diary.feeling?.score ?? 0) >= 2 })
            try #require(
                try found { $0.diary.feeling.tag.code == "a" }
                    == ids(patients) { $0.diary.feeling?.tag.contains { $0.code == "a" } ?? false })
            try #require(
                try found { $0.diary.feeling.tag.code.in(["a", "b"]) }
                    == ids(patients) { $0.diary.feeling?.tag.contains { ["a", "b"].contains($0.code) } ?? false })
            try #require(try found { $0.diary.class == "x" } == ids(patients) { $0.diary.class.contains("x") })
            try #require(try found { $0.diary.feeling == nil } == ids(patients) { $0.diary.feeling == nil })
            try #require(try found { $0.diary.feeling.score != nil } == ids(patients) { $0.diary.feeling?.score != nil })
            try #require(
                try found { $0.diary.feeling.tag.any { $0.code == "b" || $0.code == "c" } }
                    == ids(patients) { $0.diary.feeling?.tag.contains { ["b", "c"].contains($0.code) } ?? false })
            try #require(
                try seen { $0.diaryPressure.systolic.value.value > 2 }
                    == ids(observations) { ((try? $0.diaryPressure.systolic.value.value) ?? 0) > 2 })
            try #require(
                try seen { $0.diaryPressure.diastolic.value.value > 2 }
                    == ids(observations) { ((try? $0.diaryPressure.diastolic.value.value) ?? 0) > 2 })
            try #require(
                try seen { $0.diaryJournalNote.topic != nil } == ids(observations) { !$0.diaryJournalNote.topic.isEmpty })
            try #require(
                try seen { $0.diaryJournalNote.topic.coding.code == "snack" }
                    == ids(observations) { $0.diaryJournalNote.topic.contains { $0.coding.contains { $0.code == "snack" } } })
        }
    }

    /// The path in FHIRPath selects what the view shows.
    @Test func fhirPathsSelectWhatViewsShow() throws {
        let paths = ElementPath<Patient>.root.diary
        #expect(
            paths.feeling.score.fhirPath
                == "extension.where(url = '\(DiaryMood.profileURL)').extension.where(url = 'score').value.ofType(integer)")
        try withEvery(0..<10) { seed in
            let (_, patients, observations) = try store(seed)
            let score = try FHIRPath(paths.feeling.score.fhirPath)
            let tags = try FHIRPath(paths.feeling.tag.code.fhirPath)
            for patient in patients {
                try #require(try score.evaluate(on: patient).count == (patient.diary.feeling?.score == nil ? 0 : 1))
                try #require(try tags.evaluate(on: patient).count == patient.diary.feeling?.tag.count ?? 0)
            }
            let systolic = try FHIRPath(ElementPath<Observation>.root.diaryPressure.systolic.value.value.fhirPath)
            let topics = try FHIRPath(ElementPath<Observation>.root.diaryJournalNote.topic.fhirPath)
            for observation in observations {
                try #require(try systolic.evaluate(on: observation).count == ((try? observation.diaryPressure.systolic) == nil ? 0 : 1))
                try #require(try topics.evaluate(on: observation).count == observation.diaryJournalNote.topic.count)
            }
        }
    }
}

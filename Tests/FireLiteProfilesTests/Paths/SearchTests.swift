import FireLite
import FireLiteCore
import FireLiteProfiles
import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport
import Testing

/// A path through a profile means the same in a typed query, in FHIR search and in SQL on FHIR.
@Suite struct SearchTests {
    /// What a search and a view find.
    private struct Finder {
        let store: FHIRStore

        /// The ids of the resources that a search finds.
        func search(_ address: String) throws -> Set<String> {
            var options = SearchOptions()
            options.handling = .strict
            return Set(try store.search(address, options: options).matches.compactMap(\.id))
        }

        /// The ids of the resources for which a condition of SQL on FHIR holds, asked in SQL and of objects.
        func view(_ type: String, _ condition: String) throws -> Set<String> {
            let view = ViewDefinition(
                resource: type, selects: [.init(columns: [.init(name: "id", path: "id")])], conditions: [condition])
            var ids: Set<String> = []
            try store.forEachRow(of: view) { ids.insert($0["id"].text) }
            var ofObjects: Set<String> = []
            try store.forEachRow(of: view, by: .objects) { ofObjects.insert($0["id"].text) }
            try #require(ids == ofObjects, "\(condition)")
            return ids
        }

        func add(_ path: some ProfileQueryPath, _ code: String) throws {
            let parameter = try path.searchParameter(code: code, url: "http://example.org/SearchParameter/\(code)")
            try store.write { try $0.upsert(parameter) }
        }
    }

    private func store(_ seed: UInt64) throws -> FHIRStore {
        var random = SeededGenerator(seed: seed)
        let store = try FHIRStore(path: ":memory:", release: .r4)
        for number in 0..<25 {
            let patient = Patient { $0.id = "p\(number)" }
            if random.percent(70) {
                let mood = DiaryMood(text: random.pick(["calm", "sad"]))
                if random.percent(60) { mood.score = random.int(0...3) }
                if random.percent(50) { mood.tag = (0...random.int(0...1)).map { _ in Coding { $0.code = random.pick(["a", "b"]) } } }
                patient.diary.feeling = mood
            }
            if random.percent(50) { patient.diary.class = [random.pick(["x", "y"])] }
            if random.percent(30) {
                patient.extension.append(
                    Extension {
                        $0.url = "http://example.org/other"; $0.valueString = "calm"
                    })
            }
            let observation = Observation {
                $0.id = "o\(number)"; $0.status = .final
            }
            let view = DiaryPressure(observation)
            if random.percent(70) { view.set(systolic: .init(value: .init(value: FHIRDecimal(random.int(1...3)), unit: "mmHg"))) }
            if random.percent(70) { view.set(diastolic: .init(value: .init(value: FHIRDecimal(random.int(1...3)), unit: "mmHg"))) }
            if random.percent(60) {
                let code = random.pick(["sleep", "snack", "work"])
                observation.category.append(
                    CodeableConcept(
                        Coding {
                            $0.system = "http://example.org/diary/CodeSystem/topics"; $0.code = code
                        }))
            }
            try store.write {
                try $0.upsert(patient)
                try $0.upsert(observation)
            }
        }
        return store
    }

    @Test func queriesSearchesAndViewsFindTheSame() throws {
        let mood = DiaryPatient.paths.feeling
        let systolic = DiaryPressure.paths.systolic.value
        try withEvery(0..<6) { seed in
            let store = try store(seed)
            let finder = Finder(store: store)
            try finder.add(mood.text, "mood-text")
            try finder.add(mood.score, "mood-score")
            try finder.add(mood.tag, "mood-tag")
            try finder.add(systolic, "systolic")
            try finder.add(JournalNote.paths.topic, "topic")
            func patients(_ condition: (ElementPath<Patient>) -> QueryCondition) throws -> Set<String> {
                Set(try store.query(Patient.self).where(condition).all().compactMap(\.id))
            }
            func observations(_ condition: (ElementPath<Observation>) -> QueryCondition) throws -> Set<String> {
                Set(try store.query(Observation.self).where(condition).all().compactMap(\.id))
            }
            func check(_ query: Set<String>, _ search: String, _ condition: String) throws {
                try #require(try finder.search(search) == query, "\(search)")
                let type = String(search.prefix { $0 != "?" })
                try #require(try finder.view(type, condition) == query, "\(condition)")
            }
            try check(
                patients { $0.diary.feeling.text == "calm" }, "Patient?mood-text:exact=calm",
                "\(mood.text.fhirPath).where($this = 'calm').exists()")
            try check(
                patients { $0.diary.feeling.score >= 2 }, "Patient?mood-score=ge2", "\(mood.score.fhirPath).where($this >= 2).exists()")
            try check(
                patients { $0.diary.feeling.tag.code == "a" }, "Patient?mood-tag=a",
                "\(mood.tag.code.fhirPath).where($this = 'a').exists()")
            try check(patients { $0.diary.feeling == nil }, "Patient?mood-text:missing=true", "\(mood.fhirPath).empty()")
            try check(
                observations { $0.diaryPressure.systolic.value.value > 2 }, "Observation?systolic=gt2",
                "\(systolic.value.fhirPath).where($this > 2).exists()")
            try check(
                observations { $0.diaryJournalNote.topic.coding.code == "snack" }, "Observation?topic=snack",
                "\(JournalNote.paths.topic.coding.code.fhirPath).where($this = 'snack').exists()")
            try check(
                observations { $0.diaryJournalNote.topic != nil }, "Observation?topic:missing=false",
                "\(JournalNote.paths.topic.fhirPath).exists()")
        }
    }

    /// US Core's own examples.
    @Test(
        .enabled(
            if: SharedArchive("packages/us-core-6.1.0.tgz") != nil, "the package of US Core is not beside the package, in ../shared/data"))
    func examplesOfUSCoreAreFoundByPaths() throws {
        let store = try FHIRStore(path: ":memory:", release: .r4)
        try #require(SharedArchive("packages/us-core-6.1.0.tgz")).withFiles { files in
            for file in files where file.path.contains("/example/") {
                let name = file.lastPathComponent
                guard name.hasPrefix("Patient-") || name.hasPrefix("Observation-") else { continue }
                let resource = try FHIRJSON.lenientResource(from: Data(contentsOf: file), release: .r4).resource
                try store.write { try $0.upsert(resource) }
            }
        }
        let finder = Finder(store: store)
        let paths = USCorePatient.paths
        try finder.add(paths.race.ombCategory, "omb-race")
        try finder.add(paths.ethnicity.text, "ethnicity-text")
        try finder.add(paths.birthsex, "birth-sex")
        try finder.add(USCoreBloodPressure.paths.systolic.value, "systolic")
        func patients(_ condition: (ElementPath<Patient>) -> QueryCondition) throws -> Set<String> {
            Set(try store.query(Patient.self).where(condition).all().compactMap(\.id))
        }
        let white = try patients { $0.usCore.race.ombCategory.code == "2106-3" }
        #expect(!white.isEmpty)
        #expect(try finder.search("Patient?omb-race=2106-3") == white)
        #expect(try finder.search("Patient?omb-race=urn:oid:2.16.840.1.113883.6.238|2106-3") == white)
        #expect(try finder.view("Patient", "\(paths.race.ombCategory.code.fhirPath).where($this = '2106-3').exists()") == white)
        let known = try patients { $0.usCore.ethnicity.text != nil }
        #expect(!known.isEmpty)
        #expect(try finder.search("Patient?ethnicity-text:missing=false") == known)
        #expect(try finder.view("Patient", "\(paths.ethnicity.text.fhirPath).exists()") == known)
        let female = try patients { $0.usCore.birthsex == "F" }
        #expect(!female.isEmpty)
        #expect(try finder.search("Patient?birth-sex=F") == female)
        #expect(try finder.view("Patient", "\(paths.birthsex.fhirPath).where($this = 'F').exists()") == female)
        let high = try Set(store.query(Observation.self).where { $0.usCoreBloodPressure.systolic.value.value > 100 }.all().compactMap(\.id))
        #expect(!high.isEmpty)
        #expect(try finder.search("Observation?systolic=gt100") == high)
        let value = USCoreBloodPressure.paths.systolic.value.value
        #expect(try finder.view("Observation", "\(value.fhirPath).where($this > 100).exists()") == high)
    }

    @Test func pathsWithoutASearchParameterAreErrors() throws {
        func code(_ path: some ProfileQueryPath, _ code: String = "code", _ url: String = "http://example.org/code") -> ProfileError.Code? {
            do {
                _ = try path.searchParameter(code: code, url: url)
                return nil
            } catch {
                return (error as? ProfileError)?.code
            }
        }
        #expect(code(DiaryPatient.paths.feeling.text) == nil)
        #expect(code(DiaryPatient.paths.feeling) == .notSearchable)
        #expect(code(DiaryPatient.paths) == .notSearchable)
        #expect(code(DiaryPatient.paths.feeling.text, "") == .notSearchable)
        #expect(code(DiaryPatient.paths.feeling.text, "a:b") == .notSearchable)
        #expect(code(DiaryPatient.paths.feeling.text, "a", "") == .notSearchable)
        #expect(code(ElementPath<Patient>.root.diary.feeling.text) == nil)
    }

    @Test func aSearchParameterSaysWhatItFinds() throws {
        let parameter = try #require(
            try DiaryPatient.paths.feeling.score.searchParameter(code: "mood-score", url: "http://example.org/mood-score")
                as? SearchParameter)
        #expect(parameter.type == .number)
        #expect(parameter.base.map(\.rawValue) == ["Patient"])
        #expect(parameter.name == "MoodScore")
        #expect(
            parameter.expression
                == "Patient.extension.where(url = '\(DiaryMood.profileURL)').extension.where(url = 'score').value.ofType(integer)")
        #expect(parameter.validate().filter { $0.severity == .error } == [])
    }
}

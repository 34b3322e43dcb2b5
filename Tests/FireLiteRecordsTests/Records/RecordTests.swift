import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct RecordTests {
    @Test func aRecordKeepsTimesAndAnnotationsThroughItsLife() throws {
        try withRecordStore { store in
            let clock = TestClock()
            clock.follow(store)
            let begun = clock.now
            let created = try store.records.create(observation("a"), annotations: [" Fitness", "SLEEP ", "sleep"])
            #expect(created.annotations == ["fitness", "sleep"])
            #expect(created.metadata.created == begun && created.metadata.updated == begun && created.metadata.status == .active)
            let changed = clock.advance()
            let updated = try store.records.update(observation("a", "other"))
            #expect(
                updated.annotations == ["fitness", "sleep"] && updated.metadata.updated == changed && updated.metadata.created == begun)
            _ = clock.advance()
            #expect(try store.records.update(observation("a", "other")).metadata.updated == changed)
            let replaced = try store.records.update(observation("a", "other"), annotations: [])
            #expect(replaced.annotations == [] && replaced.metadata.updated == clock.now)
            let fetched = try #require(try store.records.fetch(Observation.self, id: "a"))
            #expect(fetched.resource.code?.text == "other" && fetched.metadata == replaced.metadata)
            let end = clock.advance()
            try store.records.delete(Observation.self, id: "a")
            #expect(try store.records.fetch(Observation.self, id: "a") == nil)
            let left = try #require(try store.records.summary("Observation", id: "a"))
            #expect(left.metadata.status == .deleted && left.metadata.deleted == end && left.metadata.created == begun)
            #expect(throws: RecordError.self) { try store.records.delete(Observation.self, id: "a") }
            #expect(try store.records.purge() == 1)
            #expect(try store.records.summary("Observation", id: "a") == nil)
        }
    }

    @Test func metadataFollowsWritesThatDoNotGoThroughRecords() throws {
        try withRecordStore { store in
            try store.write { tx in try tx.upsert(observation("before")) }
            let clock = TestClock()
            clock.follow(store)
            #expect(try store.records.summary("Observation", id: "before")?.metadata.created == nil)
            let first = clock.now
            try store.write { tx in try tx.upsert([observation("a"), observation("b"), observation(nil)]) }
            let second = clock.advance()
            try store.write(origin: .server) { tx in
                try tx.upsert(observation("a", "new"))
                let stored = try #require(try tx.resource(Observation.self, id: "b"))
                stored.id = "c"
            }
            let a = try #require(try store.records.summary("Observation", id: "a")?.metadata)
            #expect(a.created == first && a.updated == second)
            let c = try #require(try store.records.summary("Observation", id: "c")?.metadata)
            #expect(c.created == first && c.updated == second)
            #expect(try store.records.summary("Observation", id: "b") == nil)
            try store.records.annotate("Observation", id: "a", with: ["kept"])
            let third = clock.advance()
            try store.write { tx in _ = try tx.delete(Observation.self, id: "a") }
            #expect(try store.records.summary("Observation", id: "a")?.metadata.deleted == third)
            #expect(try store.records.summary("Observation", id: "a")?.annotations == ["kept"])
            // A resource that comes back continues its record.
            let fourth = clock.advance()
            try store.write { tx in try tx.upsert(observation("a")) }
            let again = try #require(try store.records.summary("Observation", id: "a"))
            #expect(again.metadata.created == first && again.metadata.updated == fourth && again.annotations == ["kept"])
            #expect(again.metadata.status == .active)
        }
    }

    @Test func aBatchStoresTheOthers() throws {
        try withRecordStore { store in
            try store.records.create(observation("b"))
            let result = try store.records.create([observation("a"), observation("b"), observation(nil)], annotations: ["x"])
            #expect(result.succeeded.count == 2 && !result.isComplete)
            #expect(result.failed.map(\.index) == [1] && result.failed.map(\.id) == ["b"])
            #expect((result.failed.first?.error as? RecordError)?.code == .alreadyExists)
            #expect(result.succeeded[1].id.count == 36)
            #expect(try store.records.query(Observation.self).annotated("X").count() == 2)
            let updates = try store.records.update([observation("a", "1"), observation("z"), observation(nil)])
            #expect(updates.succeeded.map(\.id) == ["a"])
            #expect(updates.failed.compactMap { ($0.error as? RecordError)?.code } == [.notFound, .missingID])
            let fetched = try store.records.fetch(Observation.self, ids: ["z", "b", "a"])
            #expect(fetched.succeeded.map(\.id) == ["b", "a"] && fetched.failed.map(\.id) == ["z"])
            let deleted = try store.records.delete(Observation.self, ids: ["a", "z", "b"])
            #expect(deleted.succeeded == ["a", "b"] && deleted.failed.map(\.id) == ["z"])
            #expect(try store.records.count() == 1)
        }
    }

    @Test(arguments: ["", "  ", "\n"]) func anEmptyAnnotationIsRefused(_ text: String) throws {
        try withRecordStore { store in
            #expect(throws: RecordError.self) { try store.records.create(observation("a"), annotations: ["x", text]) }
            #expect(throws: RecordError.self) { try store.records.create([observation("a")], annotations: [text]) }
            #expect(throws: RecordError.self) { try store.records.query(Observation.self).annotated(text).count() }
            #expect(try store.records.count() == 0)
            try store.records.create(observation("a"), annotations: ["x"])
            #expect(throws: RecordError.self) { try store.records.annotate("Observation", id: "a", with: [text]) }
            #expect(try store.records.summary("Observation", id: "a")?.annotations == ["x"])
        }
    }

    @Test func annotationsAreLowercasedTrimmedAndComposed() throws {
        try withRecordStore { store in
            let record = try store.records.create(observation("a"), annotations: ["ÄRZTE ", "cafe\u{301}", "İ", "two words"])
            #expect(record.annotations == ["café", "i\u{307}", "two words", "ärzte"].sorted())
            #expect(try store.records.query(Observation.self).annotated("CAFÉ", "ärzte").count() == 1)
        }
    }

    @Test func filtersCombineWithTypedConditions() throws {
        try withRecordStore { store in
            let clock = TestClock()
            clock.follow(store)
            for number in 0..<40 {
                try store.records.create(
                    observation("\(number)", number % 2 == 0 ? "even" : "odd", date: "2024-\(number < 20 ? "01" : "02")-10"),
                    annotations: ["all", number % 3 == 0 ? "three" : "other"])
                _ = clock.advance()
            }
            let query = store.records.query(Observation.self)
            #expect(try query.annotated("three").where { $0.code.text == "even" }.count() == 7)
            #expect(try query.annotated("all", "three").count() == 14)
            #expect(try query.annotated(any: ["three", "missing"]).count() == 14)
            #expect(try query.annotated(any: []).count() == 0)
            #expect(try query.dated(from: "2024-02").count() == 20)
            #expect(try query.dated(to: "2024-01").annotated("three").count() == 7)
            #expect(try query.dated(from: "2024-01-11", to: "2024-02-09").count() == 0)
            let start = Date(timeIntervalSince1970: 1_000_000)
            #expect(
                try query.updated(from: QueryDate(start.addingTimeInterval(100)), to: QueryDate(start.addingTimeInterval(190))).count()
                    == 10)
            #expect(try query.created(to: QueryDate(start)).ids() == ["0"])
            #expect(try query.created(from: QueryDate(start.addingTimeInterval(0.001))).count() == 39)
            // The records are created on 12 January 1970.
            #expect(try query.created(from: "1970-01-12", to: "1970-01").count() == 40)
            #expect(try query.created(from: "1970-01-13").count() == 0 && query.created(to: "1970-01-11").count() == 0)
            #expect(throws: RecordError.self) { try query.created(from: "10:00:00").count() }
            var seen: [String] = []
            var next: QueryCursor?
            repeat {
                let page = try query.annotated("three").after(next).page(of: 5)
                seen += page.records.map(\.id)
                next = page.next
            } while next != nil
            #expect(seen == (0..<40).filter { $0 % 3 == 0 }.map { "\($0)" })
            #expect(try query.page(number: 2).map(\.id) == (10..<20).map { "\($0)" })
            #expect(try query.page(number: 3, size: 15).count == 10)
            #expect(try query.sort { $0.code.text.descending }.first()?.resource.code?.text == "odd")
            #expect(try store.records.count("Observation", annotations: ["three"]) == 14)
        }
    }

    @Test func annotationsOfOtherTypesAndOfDeletedRecordsDoNotCount() throws {
        try withRecordStore { store in
            for id in ["a", "b", "c"] { try store.records.create(observation(id), annotations: ["x", "of \(id)"]) }
            try store.records.create(Patient { $0.id = "p" }, annotations: ["x", "of a"])
            try store.records.delete(Observation.self, id: "b")
            let query = store.records.query(Observation.self)
            #expect(try query.annotated("x").ids() == ["a", "c"])
            #expect(try query.annotated("x").all().map(\.id) == ["a", "c"])
            #expect(try query.annotated("of b").ids().isEmpty)
            #expect(try query.annotated("x", "of a").ids() == ["a"])
            #expect(try query.annotated("x").annotated(any: ["of b", "of c"]).ids() == ["c"])
            #expect(try query.annotated("x").annotated(any: []).ids().isEmpty)
            #expect(try query.annotated("x").created(from: "1970").ids() == ["a", "c"])
            #expect(try query.annotated("x").created(to: "1969").ids().isEmpty)
            #expect(try store.records.query(Patient.self).annotated("of a").ids() == ["p"])
            #expect(try store.records.count("Observation", annotations: ["x"]) == 2)
            #expect(try store.records.count(annotations: ["x"]) == 3)
        }
    }

    /// More records than are looked up by one statement.
    @Test func eachOfManyRecordsHasItsOwnTimesAndAnnotations() throws {
        try withRecordStore { store in
            let clock = TestClock()
            clock.follow(store)
            var expected: [String: (created: Date, annotations: [String])] = [:]
            for number in 0..<100 {
                let annotations = ["all"] + (0..<number % 4).map { "n\($0)" }
                try store.records.create(observation("\(number)"), annotations: annotations)
                expected["\(number)"] = (clock.now, annotations)
                _ = clock.advance()
            }
            try store.records.annotate("Observation", id: "7", with: ["zeta", "alpha", "all"])
            expected["7"]?.annotations = ["all", "alpha", "zeta"]
            for query in [store.records.query(Observation.self), store.records.query(Observation.self).annotated("all")] {
                let records = try query.all()
                #expect(records.map(\.id) == (0..<100).map { "\($0)" })
                for record in records {
                    #expect(record.metadata.created == expected[record.id]?.created && record.metadata.status == .active)
                    #expect(record.annotations == expected[record.id]?.annotations)
                }
            }
            let ids = ["99", "none", "7", "99", "0"]
            let fetched = try store.records.fetch(Observation.self, ids: ids)
            #expect(fetched.succeeded.map(\.id) == ["99", "7", "99", "0"] && fetched.failed.map(\.index) == [1])
            for record in fetched.succeeded {
                #expect(record.annotations == expected[record.id]?.annotations)
                #expect(record.metadata.created == expected[record.id]?.created)
            }
        }
    }

    @Test func deletedRecordsShowOnlyWhenAskedFor() throws {
        try withRecordStore { store in
            for id in ["a", "b", "c"] { try store.records.create(observation(id), annotations: ["x", id]) }
            try store.records.delete(Observation.self, id: "b")
            let query = store.records.query(Observation.self)
            #expect(try query.count() == 2)
            #expect(try query.includingDeleted().count() == 3)
            #expect(try query.includingDeleted().annotated("b").summaries().map(\.metadata.status) == [.deleted])
            #expect(try query.status([.deleted]).summaries().map(\.id) == ["b"])
            #expect(try query.status([.deleted]).all().isEmpty)
            #expect(try query.includingDeleted().where { $0.code.text == "value" }.count() == 2)
        }
    }

    @Test func pendingIsWhatTheProviderNames() throws {
        try withRecordStore { store in
            for id in ["a", "b"] { try store.records.create(observation(id)) }
            #expect(try store.records.query(Observation.self).status([.pending]).count() == 0)
            store.records.pendingKeys = { _ in [RecordKey("Observation", id: "b")] }
            #expect(try store.records.fetch(Observation.self, id: "b")?.metadata.status == .pending)
            #expect(try store.records.query(Observation.self).status([.pending]).ids() == ["b"])
            #expect(try store.records.query(Observation.self).status([.active]).ids() == ["a"])
            #expect(try store.records.query(Observation.self).count() == 2)
        }
    }

    @Test func recordsAreAPartOfTheWriteAroundThem() throws {
        try withRecordStore { store in
            #expect(throws: CancellationError.self) {
                try store.write { tx in
                    _ = try store.records.create(observation("a"), annotations: ["x"])
                    let found = try store.records.query(Observation.self).annotated("x").count()
                    #expect(found == 1)
                    throw CancellationError()
                }
            }
            let left = try store.records.count()
            #expect(left == 0)
            let found = try store.records.query(Observation.self).annotated("x").count()
            #expect(found == 0)
        }
    }

    @Test func reconcilingNotesWhatOthersWrote() throws {
        let folder = try TemporaryFolder()
        let store = try FHIRStore(path: folder.path + "/store.sqlite", release: .r4)
        for id in ["a", "b", "c"] { try store.records.create(observation(id), annotations: ["x"]) }
        let clock = TestClock()
        clock.now = Date(timeIntervalSince1970: 4_000_000_000)
        clock.follow(store)
        let other = try FHIRStore(path: folder.path + "/store.sqlite", release: .r4)
        try other.write { tx in
            try tx.upsert([observation("a", "changed"), observation("d")])
            _ = try tx.delete(Observation.self, id: "b")
        }
        #expect(try store.records.reconcile() == 3)
        #expect(try store.records.reconcile() == 0)
        #expect(try store.records.summary("Observation", id: "a")?.metadata.updated == clock.now)
        #expect(try store.records.summary("Observation", id: "b")?.metadata.status == .deleted)
        #expect(try store.records.summary("Observation", id: "d")?.metadata.created == clock.now)
        #expect(try store.check().isEmpty)
    }

    @Test func asynchronousFormsDoTheSame() async throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.records.create(observation("a"), annotations: ["x"])
        try await store.records.update(observation("a", "new"))
        let fetched = try await store.records.fetch(Observation.self, id: "a")
        #expect(fetched?.resource.code?.text == "new" && fetched?.annotations == ["x"])
        #expect(try await store.records.query(Observation.self).annotated("x").count() == 1)
        try await store.records.delete(Observation.self, id: "a")
        #expect(try await store.records.query(Observation.self).all().isEmpty)
    }

    @Test func identifiersOfAPartnerAreAddedSetAndRead() throws {
        let patient = Patient { $0.identifier = [Identifier { $0.value = "own" }] }
        try patient.addCustomIdentifier("1", partner: "Organization/p")
        try patient.addCustomIdentifier("1", partner: "Organization/p")
        try patient.addCustomIdentifier("2", partner: "Organization/p")
        try patient.addCustomIdentifier("9", partner: "Organization/q")
        #expect(patient.customIdentifiers(of: "Organization/p") == ["1", "2"])
        try patient.setCustomIdentifiers(["3", "2"], partner: "Organization/p")
        #expect(patient.customIdentifiers(of: "Organization/p") == ["3", "2"])
        #expect(patient.customIdentifiers(of: "Organization/q") == ["9"])
        #expect(patient.identifier.compactMap(\.value) == ["own", "9", "3", "2"])
        let response = QuestionnaireResponse { _ in }
        try response.addCustomIdentifier("1", partner: "p")
        #expect(throws: RecordError.self) { try response.addCustomIdentifier("2", partner: "p") }
        #expect(throws: RecordError.self) { try Binary { _ in }.addCustomIdentifier("1", partner: "p") }
    }
}

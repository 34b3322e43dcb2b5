import FireLiteR4
import FireLiteRecords
import Foundation
import TestSupport
import Testing

/// Random operations against dictionaries, reopened and checked.
@Suite(.timeLimit(.minutes(30))) struct RecordModelTests {
    /// What a record should be.
    private struct Entry: Equatable {
        var text: String
        var annotations: Set<String>
        var created: Date
        var updated: Date
        var isDeleted = false
    }

    private static let words = ["one", "two", "three", "four"]

    private struct Model {
        var records: [String: Entry] = [:]
        var data: [String: Entry] = [:]
    }

    @Test(arguments: [false, true]) func randomOperationsAgreeWithDictionaries(isSealed: Bool) throws {
        let operations = Effort.isNightly ? 2_000 : Effort.count(250)
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: isSealed ? 2 : 1)
        let clock = TestClock()
        let keyring = try RecordKeyring()
        func open() throws -> FHIRStore {
            let store = try FHIRStore(path: folder.file("store.sqlite"), release: .r4)
            clock.follow(store)
            if isSealed { store.records.encryption = .perRecord(keyring, resources: ["Observation": .keeping("status")]) }
            return store
        }
        var store = try open()
        var model = Model()
        for step in 0..<operations {
            _ = clock.advance(1)
            try perform(&random, store, &model, clock.now, isSealed: isSealed)
            if step % 200 == 199 {
                try compare(store, model)
                try store.close()
                store = try open()
                try compare(store, model)
                #expect(try store.check().isEmpty)
            }
        }
        try compare(store, model)
    }

    private func perform(
        _ random: inout SeededGenerator, _ store: FHIRStore, _ model: inout Model, _ now: Date, isSealed: Bool
    ) throws {
        let id = "\(random.int(0...30))"
        let text = "text \(random.int(0...3))"
        let annotations = Set(Self.words.filter { _ in random.percent(40) })
        let known = model.records[id]
        let live = known.flatMap { $0.isDeleted ? nil : $0 }
        switch random.int(0...11) {
        case 0...2:
            let result = try store.records.create([observation(id, text)], annotations: Array(annotations))
            #expect(result.isComplete == (live == nil))
            if live == nil { model.records[id] = Entry(text: text, annotations: annotations, created: known?.created ?? now, updated: now) }
        case 3, 4:
            let keeps = random.percent(50)
            let result = try store.records.update([observation(id, text)], annotations: keeps ? nil : Array(annotations))
            #expect(result.isComplete == (live != nil))
            guard var entry = live else { return }
            let before = entry
            entry.text = text
            if !keeps { entry.annotations = annotations }
            // A sealed record cannot be compared without opening it, so it is stored again.
            if isSealed || entry != before { entry.updated = now }
            model.records[id] = entry
        case 5:
            // Sealed records are changed by records alone.
            guard !isSealed else { return }
            try store.write { tx in try tx.upsert(observation(id, text)) }
            guard var entry = live else {
                model.records[id] = Entry(text: text, annotations: known?.annotations ?? [], created: known?.created ?? now, updated: now)
                return
            }
            if entry.text != text { entry.updated = now }
            entry.text = text
            model.records[id] = entry
        case 6:
            let result = try store.records.delete(Observation.self, ids: [id])
            #expect(result.isComplete == (live != nil))
            if live != nil {
                model.records[id]?.isDeleted = true
                model.records[id]?.updated = now
            }
        case 7:
            guard let live else { return }
            try store.records.annotate("Observation", id: id, with: Array(annotations))
            if live.annotations != annotations { model.records[id]?.updated = now }
            model.records[id]?.annotations = annotations
        case 8, 9:
            try store.appData.put(Data(text.utf8), id: id, annotations: Array(annotations))
            let old = model.data[id].flatMap { $0.isDeleted ? nil : $0 }
            model.data[id] = Entry(text: text, annotations: annotations, created: old?.created ?? now, updated: now)
        case 10:
            let isThere = model.data[id].map { !$0.isDeleted } ?? false
            #expect(try store.appData.delete(ids: [id]).isComplete == isThere)
            if isThere {
                model.data[id]?.isDeleted = true
                model.data[id]?.updated = now
            }
        default:
            guard random.percent(20) else { return }
            #expect(try store.records.purge() == model.records.values.count { $0.isDeleted })
            #expect(try store.appData.purge() == model.data.values.count { $0.isDeleted })
            model.records = model.records.filter { !$0.value.isDeleted }
            model.data = model.data.filter { !$0.value.isDeleted }
        }
    }

    private func compare(_ store: FHIRStore, _ model: Model) throws {
        let live = model.records.filter { !$0.value.isDeleted }
        let query = store.records.query(Observation.self)
        let stored = try query.all()
        #expect(Set(stored.map(\.id)) == Set(live.keys) && stored.count == live.count)
        for record in stored {
            let expected = try #require(live[record.id])
            #expect(record.resource.code?.text == expected.text && Set(record.annotations) == expected.annotations, "\(record.id)")
            #expect(record.metadata.created == expected.created && record.metadata.updated == expected.updated, "\(record.id)")
        }
        let tombstones = try query.status([.deleted]).summaries()
        #expect(Set(tombstones.map(\.id)) == Set(model.records.filter(\.value.isDeleted).keys))
        for word in Self.words {
            #expect(try query.annotated(word).count() == live.values.count { $0.annotations.contains(word) })
        }
        let some = [Self.words[0], Self.words[2]]
        #expect(try query.annotated(all: some).count() == live.values.count { $0.annotations.isSuperset(of: some) })
        #expect(try query.annotated(any: some).count() == live.values.count { !$0.annotations.isDisjoint(with: some) })
        let data = model.data.filter { !$0.value.isDeleted }
        let kept = try store.appData.query.all()
        #expect(kept.map(\.id) == data.keys.sorted())
        for record in kept {
            let expected = try #require(data[record.id])
            #expect(record.data == Data(expected.text.utf8) && Set(record.annotations) == expected.annotations)
            #expect(record.metadata.created == expected.created && record.metadata.updated == expected.updated)
        }
    }
}

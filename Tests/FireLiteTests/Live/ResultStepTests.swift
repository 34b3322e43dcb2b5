import FireLiteR4
import TestSupport
import Testing

@testable import FireLite

/// What the main actor applies to a list is finished, and small if few results have changed.
@Suite(.soundStores) struct ResultStepTests {
    private func resource(_ root: Int64, _ revision: Int64, _ store: FHIRStore) -> Patient {
        let patient = Patient { $0.id = "\(root)/\(revision)" }
        patient.become(StoreTie(store: store, root: root, revision: revision, pk: nil))
        return patient
    }

    /// The step from one list of results to another, whose objects are named by number and revision.
    private func step(_ old: [ResultKey]?, _ new: [ResultKey], _ store: FHIRStore) -> ResultStep<Patient> {
        let known = Set(old ?? [])
        let read = new.filter { !known.contains($0) }.map { ($0.root, resource($0.root, $0.revision, store)) }
        return ResultStep(from: old, to: new, read: Dictionary(uniqueKeysWithValues: read), paths: nil, reports: true)
    }

    private func results(_ keys: [ResultKey], _ store: FHIRStore) -> [Patient] { keys.map { resource($0.root, $0.revision, store) } }

    private func names(_ results: [Patient]) -> [String] { results.map { $0.id ?? "" } }

    @Test(arguments: [8, 2_000]) func aStepLeadsFromAnyResultsToAnyOthers(_ size: Int) throws {
        let store = try freshStore()
        try withEvery(0..<(size == 8 ? 300 : 6)) { seed in
            var random = SeededGenerator(seed: seed)
            func keys() -> [ResultKey] {
                var roots = Array(Int64(1)...Int64(size))
                if random.percent(50) { roots.shuffle(using: &random) }
                let share = random.int(1...100)
                return roots.filter { _ in random.percent(share) }.map { ResultKey(root: $0, revision: Int64(random.int(1...2))) }
            }
            let (old, new) = (keys(), keys())
            let before = results(old, store)
            var list = before
            step(old, new, store).apply(to: &list)
            // A result with the same or a newer revision keeps its object.
            let known = Dictionary(uniqueKeysWithValues: zip(old.map(\.root), zip(old.map(\.revision), before)))
            #expect(list.count == new.count)
            for (key, object) in zip(new, list) {
                if let (revision, known) = known[key.root], revision >= key.revision {
                    #expect(object === known)
                } else {
                    #expect(object.id == "\(key.root)/\(key.revision)")
                }
            }
        }
    }

    @Test func theFirstResultsAreTheOnesRead() throws {
        let store = try freshStore()
        var list: [Patient] = []
        let keys = [ResultKey(root: 2, revision: 1), ResultKey(root: 1, revision: 3)]
        let first = step(nil, keys, store)
        first.apply(to: &list)
        #expect(names(list) == ["2/1", "1/3"] && first.changes == nil)
    }

    @Test func aChangeOfOneOfManyResultsTouchesNoOther() throws {
        let store = try freshStore()
        let old = (1...50_000).map { ResultKey(root: $0, revision: 1) }
        var new = old
        new[30_000] = ResultKey(root: 30_001, revision: 2)
        let moved = new.remove(at: 10)
        new.insert(moved, at: 40_000)
        new.append(ResultKey(root: 60_000, revision: 1))
        new.remove(at: 5)
        let step = step(old, new, store)
        #expect(step.touched == 5)
        #expect(step.changes?.updates.count == 1 && step.changes?.moves.count == 1)
    }

    @Test func anObjectThatAWriteHasChangedItselfStays() throws {
        let store = try freshStore()
        let old = [ResultKey(root: 1, revision: 1)]
        var list = [resource(1, 2, store)]
        let object = list[0]
        step(old, [ResultKey(root: 1, revision: 2)], store).apply(to: &list)
        #expect(list[0] === object)
        step([ResultKey(root: 1, revision: 2)], [ResultKey(root: 1, revision: 3)], store).apply(to: &list)
        #expect(list[0] !== object && list[0].id == "1/3")
    }
}

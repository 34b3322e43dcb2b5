import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Random writes: after each, what observers were given is compared with a computation from scratch.
@Suite(.soundStores, .timeLimit(.minutes(30))) struct LiveModelTests {
    /// One random write; returns the number of its steps.
    private static func write(_ store: FHIRStore, _ random: inout RandomInstance) throws -> Int {
        let fails = random.generator.percent(10)
        let steps = random.generator.int(1...3)
        do {
            try store.write { tx in
                for _ in 0..<steps {
                    let id = "\(random.generator.int(0...9))"
                    switch random.generator.int(0...9) {
                    case 0...3:
                        let patient = random.make(Patient.self)
                        patient.id = id
                        try tx.upsert(patient)
                    case 4...5:
                        guard let patient = try tx.resource(Patient.self, id: id) else { continue }
                        let elements = patient.layout.elements.filter { $0.slot > 0 && $0.kind != .resource }
                        random.change(random.generator.pick(elements), of: patient)
                    case 6: try tx.delete(Patient.self, id: id)
                    case 7: try tx.upsert(Basic { $0.id = id })
                    default:
                        guard let patient = try tx.resource(Patient.self, id: id) else { continue }
                        patient.active = random.generator.percent(50)
                    }
                }
                if fails { throw CancellationError() }
            }
        } catch is CancellationError {}
        return steps
    }

    /// The content of each resource by type and id.
    private static func state(_ store: FHIRStore) throws -> [String: JSONTree] {
        try store.read { tx in
            var state: [String: JSONTree] = [:]
            for type in ["Patient", "Basic"] { try tx.forEach(typeName: type) { state["\(type)/\($0.id ?? "")"] = JSONTree($0) } }
            return state
        }
    }

    @Test(arguments: Effort.seeds(8)) func observersAgreeWithTheStoreAfterEveryCommit(_ seed: UInt64) async throws {
        let store = try freshStore(isInFile: true)
        var random = RandomInstance(seed: seed &+ 900)
        var commits = store.changes().makeAsyncIterator()
        let query = store.query(Patient.self).where { $0.active == true }.sort { $0.birthDate.descending }.limit(6)
        var live = query.updates(changes: true, every: .zero).makeAsyncIterator()
        var counts = store.updates(every: .zero) { try $0.query(Patient.self).where { $0.name.given != nil }.count() }.makeAsyncIterator()
        var (results, shown, count) = ([Patient](), [JSONTree](), -1)
        if let first = try await live.next() { results = first.results }
        shown = results.map { JSONTree($0) }
        if let first = try await counts.next() { count = first }
        var before = try Self.state(store)
        for step in 0..<60 {
            let steps = try Self.write(store, &random)
            let after = try Self.state(store)
            // The commit names exactly the resources that differ.
            let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            // Whatever it does, another commit follows.
            try putObservation(store, "sentinel", status: step % 2 == 0 ? .final : .amended)
            let commit = try #require(await commits.next())
            var named = marks(commit)
            if !named.contains(where: { $0.contains("Observation") }) {
                #expect(marks(try #require(await commits.next())).allSatisfy { $0.contains("Observation") })
            } else {
                named = []
            }
            let expected = Set(differing.map { (before[$0] == nil ? "+" : after[$0] == nil ? "-" : "~") + $0 })
            #expect(expected.isSubset(of: named))
            // A resource that a write changes and changes back is named, too.
            #expect(Set(named).subtracting(expected).allSatisfy { steps > 1 && $0.hasPrefix("~") }, "\(named), \(expected)")
            // The live results are those of the query, and the changes lead from the old ones to the new ones.
            let wanted = try Self.all(query).map { JSONTree($0) }
            if wanted != shown {
                let update = try #require(try await live.next())
                #expect(update.results.map { JSONTree($0) } == wanted)
                try Self.expectChanges(update, from: results, shown, isExact: steps == 1)
                (results, shown) = (update.results, wanted)
            }
            let now = try Self.count(store)
            if now != count {
                let given = try await counts.next()
                #expect(given == now)
                count = now
            }
            before = after
        }
    }

    private static func all(_ query: FHIRQuery<Patient>) throws -> [Patient] { try query.all() }

    private static func count(_ store: FHIRStore) throws -> Int { try store.query(Patient.self).where { $0.name.given != nil }.count() }

    /// Applies the changes to the old results by their pks, and compares the paths with a comparison of the JSON.
    private static func expectChanges(_ update: QueryUpdate<Patient>, from old: [Patient], _ oldContent: [JSONTree], isExact: Bool) throws {
        let changes = try #require(update.changes)
        let (before, after) = (old.map(\.pk), update.results.map(\.pk))
        #expect(changes.deletions.map { before[$0] } == before.filter { !after.contains($0) })
        #expect(changes.insertions.map { after[$0] } == after.filter { !before.contains($0) })
        for move in changes.moves { #expect(before[move.from] == after[move.to]) }
        // What is left after the moved ones are taken out has kept its order.
        let movedFrom = Set(changes.moves.map(\.from) + changes.deletions)
        let movedTo = Set(changes.moves.map(\.to) + changes.insertions)
        #expect(
            before.indices.filter { !movedFrom.contains($0) }.map { before[$0] }
                == after.indices.filter { !movedTo.contains($0) }.map { after[$0] })
        for change in changes.updates {
            let paths = try #require(change.paths)
            guard let place = before.firstIndex(of: after[change.index]) else { continue }
            let differing = members(oldContent[place], JSONTree(update.results[change.index]))
            // Each member that differs is named, and nothing else, unless a write changed it and changed it back.
            let named = Set(paths.map(member))
            #expect(isExact ? named == differing : named.isSuperset(of: differing), "\(paths)")
        }
    }

    /// The first member of a path: `name` of `name[0].given[1]`.
    private static func member(_ path: String) -> String { String(path.prefix { $0 != "." && $0 != "[" }) }

    /// The members of two objects that differ; the id and extensions of a primitive count as the primitive.
    private static func members(_ old: JSONTree, _ new: JSONTree) -> Set<String> {
        guard case .object(let old) = old, case .object(let new) = new else { return [] }
        return Set(
            Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 })
    }
}

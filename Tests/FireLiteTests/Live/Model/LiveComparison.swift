import FireLite
import FireLiteR4
import TestSupport
import Testing

/// What observers of random writes were given, compared with a computation from scratch.
struct LiveComparison {
    private var commits: StoreChanges.AsyncIterator
    private var live: QueryChanges<Patient>.AsyncIterator
    private var counts: StoreUpdates<Int>.AsyncIterator
    private var results: [Patient] = []
    private var shown: [JSONTree] = []
    private var count = -1

    private static func query(_ store: FHIRStore) -> FHIRQuery<Patient> {
        store.query(Patient.self).where { $0.active == true }.sort { $0.birthDate.descending }.limit(6)
    }

    init(_ store: FHIRStore) async throws {
        commits = store.changes().makeAsyncIterator()
        live = Self.query(store).updates(changes: true, every: .zero).makeAsyncIterator()
        counts = store.updates(every: .zero) { try $0.query(Patient.self).where { $0.name.given != nil }.count() }.makeAsyncIterator()
        if let first = try await live.next() { results = first.results }
        shown = results.map { JSONTree($0) }
        if let first = try await counts.next() { count = first }
    }

    /// Expects what a write of so many steps, and the sentinel after it, must have given.
    mutating func expect(_ store: FHIRStore, from before: WrittenState, to after: WrittenState, steps: Int) async throws {
        try await expectCommit(before.resources, after.resources, steps: steps)
        // The live results are those of the query, and the changes lead from the old ones to the new ones.
        let wanted = try Self.all(store).map { JSONTree($0) }
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
    }

    /// The commit names exactly the resources that differ. One that is deleted and stored again in a write is another resource.
    private mutating func expectCommit(
        _ before: [WrittenState.Key: JSONTree], _ after: [WrittenState.Key: JSONTree], steps: Int
    ) async throws {
        let commit = try #require(await commits.next())
        var named = marks(commit)
        if !named.contains(where: { $0.contains("Observation") }) {
            #expect(marks(try #require(await commits.next())).allSatisfy { $0.contains("Observation") })
        } else {
            named = []
        }
        var expected: Set<String> = []
        for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
            let sign = before[key] == nil ? "+" : after[key] == nil ? "-" : "~"
            expected.insert("\(sign)\(key.type)/\((after[key] ?? before[key]).flatMap { WrittenState.id($0) } ?? "")")
        }
        #expect(expected.isSubset(of: named), "\(named), \(expected)")
        // A resource that a write changes and changes back is named, too.
        #expect(Set(named).subtracting(expected).allSatisfy { steps > 1 && $0.hasPrefix("~") }, "\(named), \(expected)")
    }

    private static func all(_ store: FHIRStore) throws -> [Patient] { try query(store).all() }

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

import FireLite
import FireLiteR4
import Testing

/// Observers of one store, each of which is compared with the model after every write.
struct ModelObservers {
    private var commits: StoreChanges.AsyncIterator
    private var live: QueryChanges<Patient>.AsyncIterator
    private var counts: StoreUpdates<Int>.AsyncIterator
    private var first: ResourceUpdates<Patient>.AsyncIterator
    /// What each was given last.
    private var shown: [(id: String, resource: StoreModel.Resource)] = []
    private var count = -1
    private var known: StoreModel.Resource?
    /// The other process's writes since the last commit of this one, and those that changed something.
    private var foreign = (writes: 0, changes: 0)
    /// Whether only this process has written, so that the changed elements are known.
    private var isAlone = true

    static func query(_ store: FHIRStore) -> FHIRQuery<Patient> {
        store.query(Patient.self).where { $0.active == true }.sort { [$0.birthDate.descending, $0.id.ascending] }.limit(3)
    }

    /// Begins with an empty store.
    init(_ store: FHIRStore) async throws {
        commits = store.changes().makeAsyncIterator()
        live = Self.query(store).updates(changes: true, every: .zero).makeAsyncIterator()
        counts = store.updates(every: .zero) { tx in
            try tx.query(Patient.self).where { $0.active == true && $0.name.family != nil }.count()
        }.makeAsyncIterator()
        first = store.updates(of: Patient.self, id: "0", every: .zero).makeAsyncIterator()
        try #require(try await live.next()?.results.isEmpty == true)
        try #require(try await counts.next() == 0)
        try #require(try await first.next()?.map { $0.id } == nil)
        count = 0
    }

    // MARK: - Comparing

    /// Expects of each observer what a write of this process or the other one must have given it, and nothing else.
    mutating func expect(_ model: StoreModel, isForeign: Bool = false) async throws {
        let changes = model.commits.last?.changes ?? []
        if isForeign {
            isAlone = false
            foreign.writes += 1
            foreign.changes += changes.isEmpty ? 0 : 1
        } else if !changes.isEmpty {
            try await expectCommit(changes)
        }
        try await expectResults(model)
        if model.count != count {
            try #require(try await counts.next() == model.count)
            count = model.count
        }
        let now = model.stored[StoreModel.Key(type: "Patient", id: "0")]
        if now?.identity != known?.identity || now?.revision != known?.revision {
            let given = try #require(try await first.next())
            try #require(given.map { StoreModel.text($0) } == now?.text)
            known = now
        }
    }

    /// The commits of the other process come first, without details; then one with exactly these changes in their order.
    private mutating func expectCommit(_ changes: [StoreModel.Change]) async throws {
        var unknown = 0
        while true {
            let commit = try #require(await commits.next())
            guard commit.isComplete else {
                unknown += 1
                continue
            }
            // A write may have created tables for resources that it did not keep.
            guard !commit.resources.isEmpty else { continue }
            try #require(marks(commit) == changes.map(\.mark))
            try #require(commit.typeNames == Set(changes.map(\.key.type)))
            break
        }
        try #require(unknown <= foreign.writes && unknown >= min(foreign.changes, 1))
        foreign = (0, 0)
    }

    private mutating func expectResults(_ model: StoreModel) async throws {
        let wanted = model.results
        guard
            !wanted.elementsEqual(
                shown, by: { $0.resource.identity == $1.resource.identity && $0.resource.revision == $1.resource.revision })
        else { return }
        let update = try #require(try await live.next())
        try #require(update.results.map(\.id) == wanted.map(\.id))
        try #require(update.results.map { StoreModel.text($0) } == wanted.map(\.resource.text))
        let (old, new) = (shown.map(\.resource), wanted.map(\.resource))
        let (before, after) = (old.map(\.identity), new.map(\.identity))
        let changes = try #require(update.changes)
        try #require(changes.deletions == before.indices.filter { !after.contains(before[$0]) })
        try #require(changes.insertions == after.indices.filter { !before.contains(after[$0]) })
        let changed = after.indices.filter { place in
            before.firstIndex(of: after[place]).map { old[$0].revision != new[place].revision } ?? false
        }
        try #require(changes.updates.map(\.index) == changed)
        if isAlone { try #require(changes.updates.allSatisfy { $0.paths?.isEmpty == false }) }
        for move in changes.moves { try #require(before[move.from] == after[move.to]) }
        let (from, to) = (Set(changes.moves.map(\.from) + changes.deletions), Set(changes.moves.map(\.to) + changes.insertions))
        // What is left after the moved ones are taken out has kept its order.
        try #require(
            before.indices.filter { !from.contains($0) }.map { before[$0] } == after.indices.filter { !to.contains($0) }.map { after[$0] })
        shown = wanted
    }

    /// Waits until the results are those of the model, however many elements come before.
    mutating func reach(_ model: StoreModel) async throws {
        let wanted = model.results.map(\.resource.text)
        while shown.map(\.resource.text) != wanted {
            let update = try #require(try await live.next())
            shown = update.results.map { ($0.id ?? "", StoreModel.Resource(identity: 0, text: StoreModel.text($0))) }
        }
    }
}

import FireLiteCore

/// How an observed query's results differ from the ones before, computed on the library's thread. Whoever shows them only applies it: after a change
/// of few results that takes no time that grows with their number, but for moving the references behind an insertion or deletion.
struct ResultStep<Resource: FHIRResource> {
    let keys: [ResultKey]
    /// What is reported of it; nil for the first results, and for those of a changed query.
    let changes: ResultChanges?
    private let edits: Edits
    /// Results with a new revision, at their new indexes.
    private let replaced: [(index: Int, object: Resource)]

    /// How the list of the results is changed.
    private enum Edits {
        case all([Resource])
        /// Results are taken out, at old indexes in descending order, and others put in, at new indexes in ascending order.
        case some(removed: [Int], placed: [(index: Int, source: Source)])
        case rebuilt([Source])
    }

    private enum Source {
        /// A result from its old index.
        case old(Int)
        case fresh(Resource)
    }

    /// The number of moved references up to which results are taken out and put in one by one.
    private static var fewMoves: Int { 1 << 19 }

    /// - Parameters:
    ///   - old: the results before; nil at first.
    ///   - new: the results now.
    ///   - read: the objects of results that are new or have a new revision, by number.
    ///   - paths: the noted changes of elements; nil if some were missed.
    ///   - reports: whether the differences are reported.
    init(from old: [ResultKey]?, to new: [ResultKey], read: [Int64: Resource], paths: NotedChanges?, reports: Bool) {
        keys = new
        guard let old, !old.isEmpty else {
            edits = .all(new.compactMap { read[$0.root] })
            replaced = []
            changes = reports ? old.map { ResultChanges(from: $0, to: new, paths: paths) } : nil
            return
        }
        let differences = ResultChanges(from: old, to: new, paths: paths)
        changes = reports ? differences : nil
        replaced = differences.updates.compactMap { update in read[new[update.index].root].map { (update.index, $0) } }
        let removed = (differences.deletions + differences.moves.map(\.from)).sorted(by: >)
        let moved = differences.moves.map { (index: $0.to, source: Source.old($0.from)) }
        let inserted = differences.insertions.compactMap { index in
            read[new[index].root].map { (index: index, source: Source.fresh($0)) }
        }
        let placed = (moved + inserted).sorted { $0.index < $1.index }
        guard (removed.count + placed.count) * max(old.count, new.count) > Self.fewMoves else {
            edits = .some(removed: removed, placed: placed)
            return
        }
        var isRemoved = [Bool](repeating: false, count: old.count)
        for index in removed { isRemoved[index] = true }
        var stayed = old.indices.lazy.filter { !isRemoved[$0] }.makeIterator()
        var next = placed.makeIterator()
        var place = next.next()
        var sources: [Source] = []
        sources.reserveCapacity(new.count)
        for index in new.indices {
            if let put = place, put.index == index {
                sources.append(put.source)
                place = next.next()
            } else if let kept = stayed.next() {
                sources.append(.old(kept))
            }
        }
        edits = .rebuilt(sources)
    }

    /// The number of results that applying the step touches.
    var touched: Int {
        switch edits {
        case .all(let all): all.count
        case .some(let removed, let placed): removed.count + placed.count + replaced.count
        case .rebuilt(let sources): sources.count + replaced.count
        }
    }

    /// Brings the results up to date. A result that has not changed keeps its object, and so does one whose object has the new revision or a
    /// newer one, as a write changed the object itself.
    func apply(to results: inout [Resource]) {
        switch edits {
        case .all(let all): results = all
        case .some(let removed, let placed):
            let objects = placed.map { Self.object($0.source, results) }
            for index in removed { results.remove(at: index) }
            for (place, object) in zip(placed, objects) { results.insert(object, at: place.index) }
        case .rebuilt(let sources): results = sources.map { Self.object($0, results) }
        }
        for (index, fresh) in replaced where !Self.isUpToDate(results[index], fresh) { results[index] = fresh }
    }

    private static func object(_ source: Source, _ results: [Resource]) -> Resource {
        switch source {
        case .old(let index): results[index]
        case .fresh(let resource): resource
        }
    }

    private static func isUpToDate(_ object: Resource, _ fresh: Resource) -> Bool {
        guard let known = object.objectExtras as? StoreTie, let newer = fresh.objectExtras as? StoreTie else { return false }
        return known.root == newer.root && known.revision >= newer.revision
    }
}

/// How the results of an observed query differ from the ones before.
///
/// Apply it to a list in this order: delete, insert, move, update.
public struct ResultChanges: Sendable, Equatable {
    /// A result at another place among those that stayed.
    public struct Move: Sendable, Equatable {
        /// Its index in the results before.
        public let from: Int
        /// Its index in the results now.
        public let to: Int

        /// A move between two indexes.
        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// A result whose content changed.
    public struct Update: Sendable, Equatable {
        /// Its index in the results now.
        public let index: Int
        /// The FHIR paths of the changed elements (`name[0].given[1]`): an added or removed element is one path, and elements that only
        /// moved give their list (`name`). Nil if they are not known, as for commits of other connections and processes.
        public let paths: [String]?

        /// A change of these elements.
        package init(index: Int, paths: [String]?) {
            self.index = index
            self.paths = paths
        }
    }

    /// The indexes, in the results now, of results that are new.
    public let insertions: [Int]
    /// The indexes, in the results before, of results that are gone.
    public let deletions: [Int]
    /// The results that stayed and changed their order among each other: as few as possible.
    public let moves: [Move]
    /// The results that stayed and whose content changed.
    public let updates: [Update]

    /// Whether nothing differs.
    public var isEmpty: Bool { insertions.isEmpty && deletions.isEmpty && moves.isEmpty && updates.isEmpty }
}

extension ResultChanges {
    /// - Parameter paths: the changed elements by number and revision; nil if some were missed.
    init(from old: [ResultKey], to new: [ResultKey], paths: NotedChanges?) {
        var places: [Int64: Int] = [:]
        places.reserveCapacity(old.count)
        for (index, key) in old.enumerated() { places[key.root] = index }
        var insertions: [Int] = []
        var updates: [Update] = []
        var stayed: [Move] = []
        var isKept = [Bool](repeating: false, count: old.count)
        for (index, key) in new.enumerated() {
            guard let place = places[key.root] else {
                insertions.append(index)
                continue
            }
            isKept[place] = true
            stayed.append(Move(from: place, to: index))
            let before = old[place].revision
            if key.revision != before {
                updates.append(Update(index: index, paths: Self.paths(of: key, since: before, paths)))
            }
        }
        self.insertions = insertions
        self.updates = updates
        deletions = old.indices.filter { !isKept[$0] }
        let fixed = Self.longestIncreasing(stayed.map(\.from))
        moves = stayed.indices.filter { !fixed.contains($0) }.map { stayed[$0] }
    }

    /// The changed elements of all commits that led from revision `before` to that of the key; nil if one of them is not known.
    ///
    /// Each noted commit says from which revision it led, so a missing one, of another connection or process, is a gap in the chain.
    private static func paths(of key: ResultKey, since before: Int64, _ noted: NotedChanges?) -> [String]? {
        guard let known = noted?[key.root] else { return nil }
        var steps: [[String]] = []
        var revision = key.revision
        while revision > before {
            guard let change = known[revision], change.before < revision else { return nil }
            steps.append(change.paths)
            revision = change.before
        }
        guard revision == before else { return nil }
        var all: [String] = []
        var seen: Set<String> = []
        for path in steps.reversed().joined() where seen.insert(path).inserted { all.append(path) }
        return all
    }

    /// The positions of a longest increasing run: what does not have to move.
    private static func longestIncreasing(_ values: [Int]) -> Set<Int> {
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var positions: Set<Int> = []
        var current = ends.last ?? -1
        while current >= 0 {
            positions.insert(current)
            current = previous[current]
        }
        return positions
    }
}

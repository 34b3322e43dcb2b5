/// The hierarchy of a code system while it is imported: an order with parents before children, and everything above each concept.
struct CodeHierarchy {
    /// The concepts by place: first those without parents.
    private(set) var order: [Int32]
    /// The place of each concept in ``order``.
    private(set) var places: [Int32]
    private let parentStarts: [Int32]
    private let parents: [Int32]

    /// A cycle: a concept that is above itself, by one of the parents it is given.
    struct Cycle: Error {
        let concept: Int
        let parent: Int
    }

    /// - Parameters:
    ///   - count: the number of concepts.
    ///   - edges: pairs of a concept and a parent.
    /// - Throws: ``Cycle``.
    init(count: Int, edges: [(child: Int32, parent: Int32)]) throws {
        func grouped(_ key: (Int) -> Int32, _ value: (Int) -> Int32) -> (starts: [Int32], values: [Int32]) {
            var starts = [Int32](repeating: 0, count: count + 1)
            for place in edges.indices { starts[Int(key(place)) + 1] += 1 }
            for place in 0..<count { starts[place + 1] += starts[place] }
            var next = starts
            var values = [Int32](repeating: 0, count: edges.count)
            for place in edges.indices {
                let group = Int(key(place))
                values[Int(next[group])] = value(place)
                next[group] += 1
            }
            return (starts, values)
        }
        let above = grouped({ edges[$0].child }, { edges[$0].parent })
        let below = grouped({ edges[$0].parent }, { edges[$0].child })
        (parentStarts, parents) = (above.starts, above.values)
        // A concept is placed when all of its parents are (Kahn's order), so what is left at the end is in a cycle, or below one.
        var missing = (0..<count).map { above.starts[$0 + 1] - above.starts[$0] }
        var order: [Int32] = []
        order.reserveCapacity(count)
        for concept in 0..<count where missing[concept] == 0 { order.append(Int32(concept)) }
        var next = 0
        while next < order.count {
            let concept = Int(order[next])
            next += 1
            for place in Int(below.starts[concept])..<Int(below.starts[concept + 1]) {
                let child = Int(below.values[place])
                missing[child] -= 1
                if missing[child] == 0 { order.append(Int32(child)) }
            }
        }
        if order.count < count { throw Self.cycle(missing, above.starts, above.values) }
        var places = [Int32](repeating: 0, count: count)
        for (place, concept) in order.enumerated() { places[Int(concept)] = Int32(place) }
        (self.order, self.places) = (order, places)
    }

    /// A concept of a cycle: going up from one that was not placed, the first that comes twice.
    private static func cycle(_ missing: [Int32], _ starts: [Int32], _ parents: [Int32]) -> Cycle {
        func parent(_ concept: Int) -> Int {
            // What was not placed has a parent that was not placed.
            parents[Int(starts[concept])..<Int(starts[concept + 1])].first { missing[Int($0)] > 0 }.map { Int($0) } ?? concept
        }
        var concept = missing.firstIndex { $0 > 0 } ?? 0
        var seen: Set<Int> = []
        while seen.insert(concept).inserted { concept = parent(concept) }
        return Cycle(concept: concept, parent: parent(concept))
    }

    /// Everything above each place, by places, each list sorted.
    ///
    /// - Parameter limit: the maximum number of pairs.
    /// - Returns: nil if there are more.
    func closure(limit: Int) -> (starts: [Int], above: [Int32])? {
        var starts = [0]
        starts.reserveCapacity(order.count + 1)
        var all: [Int32] = []
        var mark = [Int32](repeating: -1, count: order.count)
        for place in order.indices {
            let concept = Int(order[place])
            let begin = all.count
            for parent in parents[Int(parentStarts[concept])..<Int(parentStarts[concept + 1])] {
                let above = Int(places[Int(parent)])
                if mark[above] != Int32(place) {
                    mark[above] = Int32(place)
                    all.append(Int32(above))
                }
                for index in starts[above]..<starts[above + 1] where mark[Int(all[index])] != Int32(place) {
                    mark[Int(all[index])] = Int32(place)
                    all.append(all[index])
                }
            }
            guard all.count <= limit else { return nil }
            all[begin...].sort()
            starts.append(all.count)
        }
        return (starts, all)
    }
}

import FireLite
import TestSupport
import Testing

/// The log and the history of random writes, compared with the states before and after each.
struct LogComparison {
    private typealias Key = WrittenState.Key

    /// States from which the log leads to the newest one, each with the newest change at its time.
    private var states: [(sequence: Int64, state: WrittenState)]
    /// The contents of each resource, in the order in which they were stored.
    private var versions: [WrittenState.Key: [JSONTree]] = [:]

    /// Begins with an empty store.
    init(start: Int64) { states = [(start, WrittenState())] }

    /// Expects that the log leads from every earlier state to this one, squashed and one by one.
    mutating func expect(_ store: FHIRStore, from before: WrittenState, to after: WrittenState, isLogged: Bool) throws {
        for (key, tree) in after.resources where before.resources[key] != tree { versions[key, default: []].append(tree) }
        // What a server changed is in no log: states before it lead nowhere.
        if !isLogged, before != after { states.removeAll() }
        states.append((try store.newestChange(), after))
        for (sequence, earlier) in states {
            for isSquashed in [true, false] {
                var replayed = earlier.resources
                for change in try store.changes(since: sequence, squashed: isSquashed) where WrittenState.types.contains(change.typeName) {
                    let key = Key(pk: change.pk, type: change.typeName)
                    #expect(try change.base.map { try JSONTree($0) } == replayed[key])
                    replayed[key] = try change.current.map { try JSONTree($0) }
                }
                #expect(replayed == after.resources, "\(Self.difference(replayed, after.resources))")
            }
        }
    }

    /// Leaves out changes of other resources.
    mutating func skip(to sequence: Int64) {
        guard let last = states.popLast() else { return }
        states.append((sequence, last.state))
    }

    /// Expects that the history has every version, with numbers that rise.
    func expectHistory(of store: FHIRStore) throws {
        for (key, trees) in versions {
            let id = trees.last.flatMap { WrittenState.id($0) }
            let history = try store.history(typeName: key.type, id: id ?? "").filter { $0.pk == key.pk }
            var contents: [JSONTree] = []
            for version in history.reversed() {
                let tree = try JSONTree(FHIRJSON.string(#require(try store.resource(at: version))))
                // A write that changes a resource and changes it back makes a version, too.
                if contents.last != tree { contents.append(tree) }
            }
            #expect(contents == trees, "\(key)")
        }
        for type in WrittenState.types {
            for id in 0...WrittenState.ids {
                // Those of all resources that have had the id.
                let numbers = try store.history(typeName: type, id: "\(id)").map(\.version)
                #expect(numbers == numbers.sorted(by: >) && Set(numbers).count == numbers.count, "\(type)/\(id): \(numbers)")
            }
        }
    }

    private static func difference(_ first: [Key: JSONTree], _ second: [Key: JSONTree]) -> String {
        Set(first.keys).union(second.keys).compactMap { key in
            switch (first[key], second[key]) {
            case (let left?, let right?): left.difference(to: right).map { "\(key.type) \(key.pk): \($0)" }
            case (let left, _): "\(key.type) \(key.pk): \(left == nil ? "missing" : "too much")"
            }
        }.joined(separator: "; ")
    }
}

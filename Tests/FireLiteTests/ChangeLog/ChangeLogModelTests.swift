import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// Random writes: the log and the history are compared with states that the test kept.
@Suite(.soundStores) struct ChangeLogModelTests {
    private struct Key: Hashable {
        let pk: String
        let type: String
    }

    private static func state(_ store: FHIRStore) throws -> [Key: JSONTree] {
        try store.read { tx in
            var state: [Key: JSONTree] = [:]
            for type in ["Patient", "Basic"] {
                try tx.forEach(typeName: type) { state[Key(pk: $0.pk, type: type)] = try JSONTree(FHIRJSON.string($0)) }
            }
            return state
        }
    }

    @Test(arguments: Effort.seeds(6)) func theLogLeadsFromOneStateToAnother(_ seed: UInt64) throws {
        let store = try freshStore(isInFile: true)
        var random = RandomInstance(seed: seed &+ 7_000)
        try store.track(.changes)
        try store.track(.history)
        var states: [(sequence: Int64, state: [Key: JSONTree])] = [(try store.newestChange(), [:])]
        // The versions of each resource, in the order in which they were stored.
        var versions: [Key: [JSONTree]] = [:]
        for _ in 0..<40 {
            let isOurs = random.generator.percent(80)
            try Self.write(store, isOurs ? .local : .server, &random)
            let (before, after) = (states.last?.state ?? [:], try Self.state(store))
            for (key, tree) in after where before[key] != tree { versions[key, default: []].append(tree) }
            // What a server changed is in no log: states before it lead nowhere.
            if !isOurs, before != after { states.removeAll() }
            states.append((try store.newestChange(), after))
            for (sequence, earlier) in states {
                var replayed = earlier
                for change in try store.changes(since: sequence) {
                    let key = Key(pk: change.pk, type: change.typeName)
                    #expect(try change.base.map { try JSONTree($0) } == replayed[key])
                    replayed[key] = try change.current.map { try JSONTree($0) }
                }
                #expect(replayed == after, "\(Self.difference(replayed, after))")
                replayed = earlier
                for change in try store.changes(since: sequence, squashed: false) {
                    let key = Key(pk: change.pk, type: change.typeName)
                    #expect(try change.base.map { try JSONTree($0) } == replayed[key])
                    replayed[key] = try change.current.map { try JSONTree($0) }
                }
                #expect(replayed == after)
            }
        }
        for (key, trees) in versions {
            let id: String? = if case .string(let id)? = trees.last?["id"] { id } else { nil }
            let history = try store.history(typeName: key.type, id: id ?? "").filter { $0.pk == key.pk }
            var contents: [JSONTree] = []
            for version in history.reversed() {
                let tree = try JSONTree(FHIRJSON.string(#require(try store.resource(at: version))))
                // A write that changes a resource and changes it back makes a version, too.
                if contents.last != tree { contents.append(tree) }
            }
            #expect(contents == trees, "\(key)")
        }
        for type in ["Patient", "Basic"] {
            for id in 0...5 {
                // Those of all resources that have had the id.
                let numbers = try store.history(typeName: type, id: "\(id)").map(\.version)
                #expect(numbers == numbers.sorted(by: >) && Set(numbers).count == numbers.count, "\(type)/\(id): \(numbers)")
            }
        }
        #expect(try store.check().isEmpty)
    }

    private static func difference(_ first: [Key: JSONTree], _ second: [Key: JSONTree]) -> String {
        Set(first.keys).union(second.keys).compactMap { key in
            switch (first[key], second[key]) {
            case (let left?, let right?): left.difference(to: right).map { "\(key.type) \(key.pk): \($0)" }
            case (let left, _): "\(key.type) \(key.pk): \(left == nil ? "missing" : "too much")"
            }
        }.joined(separator: "; ")
    }

    private static func write(_ store: FHIRStore, _ origin: WriteOrigin, _ random: inout RandomInstance) throws {
        let fails = random.generator.percent(10)
        do {
            try store.write(origin: origin) { tx in
                for _ in 0..<random.generator.int(1...4) {
                    let id = "\(random.generator.int(0...5))"
                    switch random.generator.int(0...9) {
                    case 0...3:
                        let patient = random.make(Patient.self)
                        patient.id = id
                        try tx.upsert(patient)
                    case 4...6:
                        guard let patient = try tx.resource(Patient.self, id: id) else { continue }
                        let elements = patient.layout.elements.filter { $0.slot > 0 && $0.kind != .resource }
                        random.change(random.generator.pick(elements), of: patient)
                    case 7: try tx.delete(Patient.self, id: id)
                    default:
                        let language = "\(random.generator.int(0...2))"
                        try tx.upsert(
                            Basic {
                                $0.id = id
                                $0.language = language
                            })
                    }
                }
                if fails { throw CancellationError() }
            }
        } catch is CancellationError {}
    }
}

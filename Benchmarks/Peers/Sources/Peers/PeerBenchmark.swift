import FireLite
import FireLiteR4
import Foundation

/// All workloads with all peers, which take turns: whatever else the machine does, it does to each of them.
final class PeerBenchmark {
    private let corpus: Corpus
    private let scratch: ScratchFolder
    private let keys: [ResourceKey]
    private let observations: [ResourceKey]
    private let codes: [String]
    private let references: [String]
    private let progress: ProgressLine
    /// The peers with their files, which have all resources from `filling` on.
    private let peers: [(peer: any Peer, path: String)]
    private(set) var results: [PeerResult] = []
    /// How often each workload is measured at least; more often where it takes little time.
    private static let repetitions = 5

    init(_ types: [any Peer.Type], _ corpus: Corpus, _ scratch: ScratchFolder, _ progress: ProgressLine) throws {
        self.corpus = corpus
        self.scratch = scratch
        self.progress = progress
        peers = try types.map { type in
            let path = scratch.fresh()
            return (try type.init(path: path), path)
        }
        var random = SeededRandom(seed: 9)
        let all = try ResourceKey.all(corpus)
        keys = Array(all.shuffled(using: &random).prefix(2_000))
        observations = Array(all.filter { $0.typeName == "Observation" }.shuffled(using: &random).prefix(5_000))
        let sample = try corpus.sample(2_000).objects().compactMap { $0 as? Observation }
        codes = Array(Set(sample.compactMap { $0.code?.coding.first?.code }).sorted().shuffled(using: &random).prefix(10))
        references = Array(Set(sample.compactMap { $0.subject?.reference }).sorted().shuffled(using: &random).prefix(20))
    }

    func run() throws {
        try filling()
        try reading()
        try writing()
        try rewriting()
        // From here on there are indexes.
        try querying()
        try deleting()
    }

    // MARK: - Measuring

    /// What is measured next.
    private struct Turn {
        let peer: any Peer
        let path: String
        let repetition: Int
    }

    /// Measures a workload several times with each peer, and keeps the medians.
    ///
    /// - Parameters:
    ///   - prepare: makes what the work needs; not measured.
    ///   - outcome: something that must be the same for every peer, found after the timing; what `work` returns is freed after it.
    private func measure<Input, Output>(
        _ workload: String, operations: Int, prepare: (Turn) throws -> Input, _ work: (any Peer, Input) throws -> Output,
        outcome: (Turn, Output) throws -> Int
    ) throws {
        var costs = peers.map { _ in [Cost]() }
        var outcomes = peers.map { _ in 0 }
        var repetition = 0
        let start = Stopwatch.seconds(CLOCK_MONOTONIC)
        func elapsed() -> Double { (Stopwatch.seconds(CLOCK_MONOTONIC) - start) / Double(peers.count) }
        while !Repetitions.isEnough(repetition, elapsed: elapsed(), size: corpus.count, wanted: Self.repetitions) {
            repetition += 1
            for (index, (peer, path)) in peers.enumerated() {
                progress.show("\(workload), \(repetition), \(type(of: peer).title)")
                let turn = Turn(peer: peer, path: path, repetition: repetition)
                let input = try prepare(turn)
                let stopwatch = Stopwatch()
                let output = try stopwatch.measure { try work(peer, input) }
                costs[index].append(stopwatch.cost)
                outcomes[index] = try outcome(turn, output)
            }
        }
        for (index, (peer, _)) in peers.enumerated() {
            let cost = Cost(cpu: Median.of(costs[index].map(\.cpu)) ?? 0, wall: Median.of(costs[index].map(\.wall)) ?? 0)
            results.append(
                PeerResult(
                    workload: workload, peer: type(of: peer).title, size: corpus.count, operations: operations, cost: cost,
                    outcome: outcomes[index]))
        }
    }

    private func measure(_ workload: String, operations: Int, _ work: (any Peer) throws -> Int) throws {
        try measure(workload, operations: operations, prepare: { _ in }, { peer, _ in try work(peer) }, outcome: { $1 })
    }

    // MARK: - Workloads

    private func writing() throws {
        try measure(
            "bulk write, new", operations: corpus.count,
            prepare: { turn in
                (peer: try type(of: turn.peer).init(path: scratch.fresh()), objects: try corpus.objects())
            },
            { _, fresh in
                try fresh.peer.write(fresh.objects)
                return fresh.peer
            },
            outcome: { try countEqual($1) })
    }

    private func filling() throws {
        for (peer, path) in peers {
            try peer.write(corpus.objects())
            try peer.checkpoint()
            results.append(
                PeerResult(
                    workload: "bytes a resource", peer: type(of: peer).title, size: corpus.count, operations: corpus.count, cost: Cost(),
                    bytes: ScratchFolder.size(of: path), outcome: 0))
        }
    }

    private func rewriting() throws {
        try measure(
            "bulk write, unchanged", operations: corpus.count, prepare: { _ in try corpus.objects() },
            { peer, objects in try peer.write(objects) },
            outcome: { turn, _ in try countEqual(turn.peer) })
        // Every other time the fields have their first values again.
        func edit(_ resource: FHIRResource, _ turn: Turn) { if turn.repetition % 2 == 1 { FieldChange.apply(to: resource) } }
        try measure(
            "bulk write, one field changed", operations: corpus.count,
            prepare: { turn in
                let objects = try corpus.objects()
                for object in objects { edit(object, turn) }
                return objects
            },
            { peer, objects in try peer.write(objects) }, outcome: { turn, _ in try countEqual(turn.peer, edit: { edit($0, turn) }) })
        let few = Array(keys.prefix(200))
        try measure(
            "single write, durable", operations: few.count,
            prepare: { turn in
                try turn.peer.delete(few)
                return try few.map { try corpus.object($0.index) }
            },
            { peer, objects in for object in objects { try peer.write([object]) } }, outcome: { turn, _ in try countEqual(turn.peer, few) })
        // All as at first, for the queries.
        for (peer, _) in peers { try peer.write(corpus.objects()) }
    }

    private func reading() throws {
        try measure(
            "fetch one by id", operations: keys.count, prepare: { _ in },
            // Each is freed before the next.
            { peer, _ in try keys.reduce(0) { try $0 + (peer.fetch(typeName: $1.typeName, id: $1.id) == nil ? 0 : 1) } },
            outcome: { turn, found in min(found, try countEqual(turn.peer)) })
        let few = Array(keys.prefix(20))
        try measure(
            "open, fetch one by id", operations: few.count, prepare: { $0.path },
            { peer, path in try few.compactMap { try type(of: peer).init(path: path).fetch(typeName: $0.typeName, id: $0.id) } },
            outcome: { try countFound($1, few) })
        let ids = observations.map(\.id)
        try measure(
            "fetch many ids", operations: ids.count, prepare: { _ in }, { peer, _ in try peer.observations(ids: ids) },
            outcome: { try countFound($1, observations) })
        let total = try countObservations(peers[0].peer)
        try measure("scan a type", operations: total) { try countObservations($0) }
    }

    private func querying() throws {
        try measure("count by nested element, no index", operations: codes.count) { try count($0) }
        let total = try findReferences(peers[0].peer)
        try measure("objects by reference, no index", operations: total) { try findReferences($0) }
        try measure("sorted page of 50, no index", operations: 1) { try $0.latest().count }
        for (peer, _) in peers { try peer.addIndexes() }
        try measure("count by nested element, index", operations: codes.count) { try count($0) }
        try measure("objects by reference, index", operations: total) { try findReferences($0) }
        try measure("sorted page of 50, index", operations: 1) { try $0.latest().count }
    }

    private func deleting() throws {
        try measure(
            "delete many", operations: keys.count, prepare: { turn in try turn.peer.write(keys.map { try corpus.object($0.index) }) },
            { peer, _ in try peer.delete(keys) },
            outcome: { turn, _ in try keys.filter { try turn.peer.fetch(typeName: $0.typeName, id: $0.id) != nil }.count })
    }

    // MARK: - Results

    private func countObservations(_ peer: any Peer) throws -> Int {
        var count = 0
        try peer.forEachObservation { _ in count += 1 }
        return count
    }

    private func count(_ peer: any Peer) throws -> Int { try codes.reduce(0) { try $0 + peer.count(code: $1) } }

    private func findReferences(_ peer: any Peer) throws -> Int {
        try references.reduce(0) { try $0 + peer.observations(of: $1).count }
    }

    /// How many of the sample the peer has just as it was given them.
    private func countEqual(_ peer: any Peer, _ keys: [ResourceKey]? = nil, edit: (FHIRResource) -> Void = { _ in }) throws -> Int {
        try (keys ?? self.keys).filter { key in
            let original = try corpus.object(key.index)
            edit(original)
            guard let found = try peer.fetch(typeName: key.typeName, id: key.id) else { return false }
            return try JSONContent.areEqual(found, original)
        }.count
    }

    /// How many of the keys have their resource among these, which may be in any order.
    private func countFound(_ found: [FHIRResource], _ keys: [ResourceKey]) throws -> Int {
        let known = Dictionary(found.map { ($0.resourceType + "/" + ($0.id ?? ""), $0) }, uniquingKeysWith: { $1 })
        return try keys.filter { key in
            guard let resource = known[key.typeName + "/" + key.id] else { return false }
            return try JSONContent.areEqual(resource, corpus.object(key.index))
        }.count
    }
}

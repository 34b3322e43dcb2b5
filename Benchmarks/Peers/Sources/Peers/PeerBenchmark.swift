import FireLite
import FireLiteR4
import Foundation

/// All workloads with one peer.
final class PeerBenchmark<P: Peer> {
    private let corpus: Corpus
    private let scratch: ScratchFolder
    private let keys: [ResourceKey]
    private let observations: [ResourceKey]
    private let codes: [String]
    private let references: [String]
    private let progress: ProgressLine
    private(set) var results: [PeerResult] = []

    init(_ corpus: Corpus, _ scratch: ScratchFolder, _ progress: ProgressLine) throws {
        self.corpus = corpus
        self.scratch = scratch
        self.progress = progress
        var random = SeededRandom(seed: 9)
        let all = try ResourceKey.all(corpus)
        keys = Array(all.shuffled(using: &random).prefix(2_000))
        observations = Array(all.filter { $0.typeName == "Observation" }.shuffled(using: &random).prefix(5_000))
        let sample = try corpus.sample(2_000).objects().compactMap { $0 as? Observation }
        codes = Array(Set(sample.compactMap { $0.code?.coding.first?.code }).sorted().shuffled(using: &random).prefix(10))
        references = Array(Set(sample.compactMap { $0.subject?.reference }).sorted().shuffled(using: &random).prefix(20))
    }

    // MARK: - Measuring

    /// Measures a workload several times, and keeps the median.
    ///
    /// - Parameters:
    ///   - prepare: makes what the work needs; not measured.
    ///   - outcome: something that must be the same for every peer, found after the timing.
    private func measure<Input, Output>(
        _ workload: String, operations: Int, prepare: () throws -> Input, _ work: (Input) throws -> Output,
        outcome: (Output) throws -> Int
    ) throws {
        var costs: [Cost] = []
        var result = 0
        for repetition in 1...3 {
            progress.show("\(P.title), \(workload), \(repetition)")
            let input = try prepare()
            let stopwatch = Stopwatch()
            let output = try stopwatch.measure { try work(input) }
            costs.append(stopwatch.cost)
            result = try outcome(output)
        }
        let cost = Cost(cpu: Median.of(costs.map(\.cpu)) ?? 0, wall: Median.of(costs.map(\.wall)) ?? 0)
        results.append(
            PeerResult(workload: workload, peer: P.title, size: corpus.count, operations: operations, cost: cost, outcome: result))
    }

    private func measure(_ workload: String, operations: Int, _ work: () throws -> Int) throws {
        try measure(workload, operations: operations, prepare: {}, { try work() }, outcome: { $0 })
    }

    func run() throws {
        let path = scratch.fresh()
        defer { scratch.delete(path) }
        try writing()
        let peer = try P(path: path)
        try peer.write(corpus.objects())
        try rewriting(peer)
        try reading(peer, path)
        try querying(peer)
        try deleting(peer)
    }

    // MARK: - Workloads

    private func writing() throws {
        var path = ""
        defer { scratch.delete(path) }
        try measure(
            "bulk write, new", operations: corpus.count,
            prepare: {
                scratch.delete(path)
                path = scratch.fresh()
                return (peer: try P(path: path), objects: try corpus.objects())
            },
            {
                try $0.peer.write($0.objects)
                return $0.peer
            },
            outcome: { try countEqual($0) })
        results.append(
            PeerResult(
                workload: "bytes a resource", peer: P.title, size: corpus.count, operations: corpus.count, cost: Cost(),
                bytes: ScratchFolder.size(of: path), outcome: 0))
    }

    private func rewriting(_ peer: P) throws {
        try measure(
            "bulk write, unchanged", operations: corpus.count, prepare: { try corpus.objects() }, { try peer.write($0) },
            outcome: { try countEqual(peer) })
        // Every other time the fields have their first values again.
        var isChanged = false
        try measure(
            "bulk write, one field changed", operations: corpus.count,
            prepare: {
                isChanged.toggle()
                let objects = try corpus.objects()
                if isChanged { for object in objects { FieldChange.apply(to: object) } }
                return objects
            },
            { try peer.write($0) },
            outcome: { try countEqual(peer, edit: isChanged ? FieldChange.apply : nil) })
        let few = Array(keys.prefix(200))
        try measure(
            "single write, durable", operations: few.count, prepare: { try few.map { try corpus.object($0.index) } },
            { for object in $0 { try peer.write([object]) } },
            outcome: { try few.filter { try peer.fetch(typeName: $0.typeName, id: $0.id) == corpus.object($0.index) }.count })
        // All as at first, for what reads.
        try peer.write(corpus.objects())
    }

    private func reading(_ peer: P, _ path: String) throws {
        try measure(
            "fetch one by id", operations: keys.count, prepare: {},
            { try keys.compactMap { try peer.fetch(typeName: $0.typeName, id: $0.id) } }, outcome: { try countEqual($0, keys) })
        let few = keys.prefix(20)
        try measure("open, fetch one by id", operations: few.count) {
            try few.reduce(0) { try $0 + (P(path: path).fetch(typeName: $1.typeName, id: $1.id) == nil ? 0 : 1) }
        }
        let ids = observations.map(\.id)
        try measure(
            "fetch many ids", operations: ids.count, prepare: {}, { try peer.observations(ids: ids) },
            outcome: { try countEqual($0, observations) })
        let total = try countObservations(peer)
        try measure("scan a type", operations: total) { try countObservations(peer) }
    }

    private func querying(_ peer: P) throws {
        try measure("count by nested element, no index", operations: codes.count) { try count(peer) }
        let total = try findReferences(peer)
        try measure("objects by reference, no index", operations: total) { try findReferences(peer) }
        try measure("sorted page of 50, no index", operations: 1) { try peer.latest().count }
        try peer.addIndexes()
        try measure("count by nested element, index", operations: codes.count) { try count(peer) }
        try measure("objects by reference, index", operations: total) { try findReferences(peer) }
        try measure("sorted page of 50, index", operations: 1) { try peer.latest().count }
    }

    private func deleting(_ peer: P) throws {
        try measure(
            "delete many", operations: keys.count, prepare: { try peer.write(keys.map { try corpus.object($0.index) }) },
            { try peer.delete(keys) },
            outcome: { try keys.filter { try peer.fetch(typeName: $0.typeName, id: $0.id) != nil }.count })
    }

    // MARK: - Results

    private func countObservations(_ peer: P) throws -> Int {
        var count = 0
        try peer.forEachObservation { _ in count += 1 }
        return count
    }

    private func count(_ peer: P) throws -> Int { try codes.reduce(0) { try $0 + peer.count(code: $1) } }

    private func findReferences(_ peer: P) throws -> Int { try references.reduce(0) { try $0 + peer.observations(of: $1).count } }

    /// How many of the sample the peer has just as it was given them.
    private func countEqual(_ peer: P, edit: ((FHIRResource) -> Void)? = nil) throws -> Int {
        try keys.filter { key in
            let original = try corpus.object(key.index)
            edit?(original)
            return try peer.fetch(typeName: key.typeName, id: key.id) == original
        }.count
    }

    /// How many of the keys have their resource among these, which may be in any order.
    private func countEqual(_ found: [FHIRResource], _ keys: [ResourceKey]) throws -> Int {
        let known = Dictionary(found.map { ($0.resourceType + "/" + ($0.id ?? ""), $0) }, uniquingKeysWith: { $1 })
        return try keys.filter { try known[$0.typeName + "/" + $0.id] == corpus.object($0.index) }.count
    }
}

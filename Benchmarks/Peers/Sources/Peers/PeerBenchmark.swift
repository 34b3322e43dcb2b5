import FireLite
import FireLiteR4
import Foundation

/// All workloads with one peer.
final class PeerBenchmark<P: Peer> {
    private let corpus: Corpus
    private let scratch: ScratchFolder
    private let keys: [ResourceKey]
    private let observationIDs: [String]
    private let codes: [String]
    private let progress: ProgressLine
    private(set) var results: [PeerResult] = []

    init(_ corpus: Corpus, _ scratch: ScratchFolder, _ progress: ProgressLine) throws {
        self.corpus = corpus
        self.scratch = scratch
        self.progress = progress
        var random = SeededRandom(seed: 9)
        let all = try ResourceKey.all(corpus)
        keys = Array(all.shuffled(using: &random).prefix(2_000))
        observationIDs = Array(all.filter { $0.typeName == "Observation" }.map(\.id).shuffled(using: &random).prefix(5_000))
        let observations = try corpus.sample(2_000).objects().compactMap { ($0 as? Observation)?.code?.coding.first?.code }
        codes = Array(Set(observations).sorted().shuffled(using: &random).prefix(10))
    }

    /// Measures and keeps one workload; of several repetitions the least counts.
    private func measure(_ workload: String, operations: Int, repetitions: Int = 3, _ work: () throws -> Int) throws {
        progress.show("\(P.title), \(workload)")
        var least: Cost?
        var outcome = 0
        for _ in 0..<repetitions {
            let stopwatch = Stopwatch()
            outcome = try stopwatch.measure(work)
            least = Cost.least(least, stopwatch.cost)
        }
        results.append(
            PeerResult(
                workload: workload, peer: P.title, size: corpus.count, operations: operations, cost: least ?? Cost(), outcome: outcome))
    }

    func run() throws {
        let path = scratch.fresh()
        defer { scratch.delete(path) }
        let objects = try corpus.objects()
        let peer = try P(path: path)
        try measure("bulk write", operations: objects.count, repetitions: 1) {
            try peer.write(objects)
            return 0
        }
        try measure("fetch one by id", operations: keys.count) {
            try keys.reduce(0) { try $0 + (peer.fetch(typeName: $1.typeName, id: $1.id) == nil ? 0 : 1) }
        }
        try measure("fetch many ids", operations: observationIDs.count) { try peer.observations(ids: observationIDs).count }
        let total = try countObservations(peer)
        try measure("scan a type", operations: total) { try countObservations(peer) }
        try measure("count by nested element, no index", operations: codes.count, repetitions: 2) { try count(peer) }
        try measure("sorted page of 50, no index", operations: 1, repetitions: 2) { try peer.latest().count }
        try peer.addIndexes()
        try measure("count by nested element, index", operations: codes.count) { try count(peer) }
        try measure("sorted page of 50, index", operations: 1) { try peer.latest().count }
        try measure("delete many", operations: keys.count, repetitions: 1) {
            try peer.delete(keys)
            return 0
        }
        try fileSize()
    }

    private func countObservations(_ peer: P) throws -> Int {
        var count = 0
        try peer.forEachObservation { _ in count += 1 }
        return count
    }

    private func count(_ peer: P) throws -> Int { try codes.reduce(0) { try $0 + peer.count(code: $1) } }

    /// The size without indexes and deletions.
    private func fileSize() throws {
        let path = scratch.fresh()
        defer { scratch.delete(path) }
        try P(path: path).write(corpus.objects())
        results.append(
            PeerResult(
                workload: "bytes a resource", peer: P.title, size: corpus.count, operations: corpus.count, cost: Cost(),
                bytes: ScratchFolder.size(of: path), outcome: 0))
    }
}

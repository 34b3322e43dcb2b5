import FireLite
import Foundation

/// JSON to objects and back, with coders that take turns.
struct CodingBenchmark {
    let coders: [JSONCoder]
    let corpus: Corpus
    let progress: ProgressLine
    /// The number of resources that each coder gets, the same ones: the cost of one does not depend on it.
    private static let limit = 2_000
    private static let repetitions = 5

    func run() throws -> [PeerResult] {
        let sample = corpus.sample(Self.limit)
        let texts = (0..<sample.count).map { sample.json($0) }
        let objects = try coders.map { coder in try texts.map(coder.decode) }
        let decoding = try measure(
            "decode JSON", texts.count, { coder, _ in try texts.map(coder.decode) },
            outcome: { coder, found in try equal(found.map(coder.encode), texts) })
        let encoding = try measure(
            "encode JSON", texts.count, { coder, index in try objects[index].map(coder.encode) },
            outcome: { _, written in try equal(written, texts) })
        return decoding + encoding
    }

    /// Measures some work several times with each coder, and keeps the medians. What the work returns is released after the timing.
    private func measure<Output>(
        _ workload: String, _ operations: Int, _ work: (JSONCoder, Int) throws -> Output, outcome: (JSONCoder, Output) throws -> Int
    ) throws -> [PeerResult] {
        var costs = coders.map { _ in [Cost]() }
        var outcomes = coders.map { _ in 0 }
        var repetition = 0
        let start = Stopwatch.seconds(CLOCK_MONOTONIC)
        func elapsed() -> Double { (Stopwatch.seconds(CLOCK_MONOTONIC) - start) / Double(coders.count) }
        while !Repetitions.isEnough(repetition, elapsed: elapsed(), size: corpus.count, wanted: Self.repetitions) {
            repetition += 1
            for (index, coder) in coders.enumerated() {
                progress.show("\(workload), \(repetition), \(coder.title)")
                let stopwatch = Stopwatch()
                let output = try stopwatch.measure { try work(coder, index) }
                costs[index].append(stopwatch.cost)
                if repetition == 1 { outcomes[index] = try outcome(coder, output) }
            }
        }
        return coders.indices.map { index in
            PeerResult(
                workload: workload, peer: coders[index].title, size: corpus.count, operations: operations,
                cost: Cost(cpu: Median.of(costs[index].map(\.cpu)) ?? 0, wall: Median.of(costs[index].map(\.wall)) ?? 0),
                outcome: outcomes[index])
        }
    }

    /// The number of texts that say the same, numbers by value.
    private func equal(_ written: [Data], _ texts: [Data]) throws -> Int {
        try zip(written, texts).count { try JSONContent.areEqual($0, $1) }
    }
}

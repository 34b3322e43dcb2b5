import FireLite
import FireLiteR4
import Foundation

/// Reading by id while another thread writes all the time.
struct ConcurrencyWorkloads: Workload {
    static let beside = "fetch one by id beside a busy writer"
    private static let sampleSize = 2_000
    private static let batchSize = 200

    var names: [String] { [Self.beside] }

    func run(_ bench: Bench) throws -> [Measurement] {
        let keys = try ResourceKey.sample(bench.corpus, Self.sampleSize)
        let path = try bench.scratch.copy(of: bench.fixture.path())
        defer { bench.scratch.delete(path) }
        let store = try bench.openStore(path, durability: .normal)
        let reader = try FloorReader(path)
        try reader.prepareLookups(Set(keys.map(\.typeName)))
        var found: [FHIRResource] = []
        var writes = 0
        return [
            try bench.measure(
                Self.beside, operations: keys.count, repetitions: 3,
                subject: { stopwatch in
                    found = []
                    let writer = BusyWriter(store, bench.corpus.sample(Self.batchSize))
                    try stopwatch.measureThread {
                        for key in keys {
                            if let resource = try store.resource(typeName: key.typeName, id: key.id) { found.append(resource) }
                        }
                    }
                    writes += try writer.stop()
                },
                floor: { stopwatch in
                    let writer = BusyWriter(store, bench.corpus.sample(Self.batchSize))
                    stopwatch.measureThread {
                        for key in keys {
                            reader.beginRead()
                            reader.read(typeName: key.typeName, id: key.id)
                            reader.endRead()
                        }
                    }
                    writes += try writer.stop()
                },
                verify: { found.map(\.id) == keys.map { $0.id } && writes > 0 && reader.rows > 0 })
        ]
    }
}

/// A thread that stores the same resources over and over, with another content each time.
///
/// `@unchecked Sendable`: `condition` is held for every access to the variables.
private final class BusyWriter: @unchecked Sendable {
    private let condition = NSCondition()
    private var isStopped = false
    private var isEnded = false
    private var writes = 0
    private var failure: (any Error)?

    init(_ store: FHIRStore, _ corpus: Corpus) {
        let thread = Thread { [self] in
            var result: (any Error)?
            do {
                while !shouldStop {
                    for isEdited in [true, false] {
                        let resources = try corpus.objects()
                        if isEdited { for resource in resources { FieldChange.apply(to: resource) } }
                        try store.write { _ = try $0.upsert(resources) }
                    }
                    condition.lock()
                    writes += 2
                    condition.broadcast()
                    condition.unlock()
                }
            } catch { result = error }
            condition.lock()
            failure = result
            isEnded = true
            condition.broadcast()
            condition.unlock()
        }
        thread.stackSize = 16 << 20
        thread.start()
        // It is busy from the first write on.
        condition.lock()
        while writes == 0, !isEnded { condition.wait() }
        condition.unlock()
    }

    private var shouldStop: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isStopped
    }

    /// - Returns: how many writes there were.
    func stop() throws -> Int {
        condition.lock()
        defer { condition.unlock() }
        isStopped = true
        while !isEnded { condition.wait() }
        if let failure { throw failure }
        return writes
    }
}
